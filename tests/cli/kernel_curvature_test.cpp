// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

const std::vector<std::pair<std::string, std::string>> blocks = {
    {"W_Q", "WQ"}, {"W_K", "WK"}, {"W_V", "WV"}, {"W_O", "WO"}};

Json curvature(const std::string& file, int digits, const std::string& of_blocks) {
  return heedcert_json({"curvature", "--full", "--digits", std::to_string(digits), "--blocks",
                        of_blocks, file})
      .at("quantities");
}

void compare_values(Comparison& c, const Json& all, const Json& stored) {
  c.compare("loss", all.at("loss"), stored.at("loss"));
  c.compare("attention", all.at("attention"), stored.at("S"));
  c.compare("outputs", all.at("outputs"), stored.at("F"));
  for (const auto& [printed, name] : blocks)
    c.compare(printed, all.at("gradient").at(printed), stored.at("grad").at(name));
}

void compare_spectra(Comparison& c, const Json& all, const Json& query, const Json& both,
                     const Json& stored) {
  for (const auto& [printed, name] : blocks) {
    c.compare(printed + " squared", all.at("block_gradient_norm_squared").at(printed),
              stored.at("grad_norm2").at(name));
    for (const char* end : {"mu", "L"})
      c.compare(printed + " " + end, all.at("pl").at(printed).at(end),
                stored.at("pl").at(name).at(end));
  }
  for (const char* end : {"mu", "L"})
    c.compare(end, all.at("pl").at("all").at(end), stored.at("pl").at("all").at(end));
  c.compare("sigma_B", all.at("sigma_B"), stored.at("sigma_B"));
  c.compare("sigma_W_O", all.at("sigma_W_O"), stored.at("sigma_WO"));
  c.compare("lambda_min", all.at("lambda_min"), stored.at("hessian_all_eig_min"));
  c.compare("lambda_max", all.at("lambda_max"), stored.at("hessian_all_eig_max"));
  c.compare("hessian", query.at("hessian"), stored.at("hessian_WQ"));
  c.compare("eigenvalues", query.at("hessian_eigenvalues"), stored.at("hessian_WQ_eig"));
  c.compare("eigenvalues of both", both.at("hessian_eigenvalues"), stored.at("hessian_WQWK_eig"));
}

}  // namespace

TEST_CASE("kernel attention: enclosures contain the stored results, narrowly") {
  for (const auto& path : fixture_files("kernel")) {
    const std::string name = path.filename().string();
    INFO(name);
    const Json stored = Json::parse(bytes_of(path)).at("output");
    // What the reference program calls 0 is rounding of 60 digits, except where it used 40000.
    const bool underflow = name == "kernel_05_underflow.json";
    for (const int digits : {12, 40}) {
      const Json all = curvature(path.string(), digits, "all");
      const Json query = curvature(path.string(), digits, "W_Q");
      const Json both = curvature(path.string(), digits, "W_Q,W_K");
      Comparison c(digits, 48, underflow ? 19'000 : 50);
      for (const char* kernel : {"softmax", "gaussian"}) {
        compare_values(c, all.at(kernel), stored.at(kernel));
        if (!underflow)
          compare_spectra(c, all.at(kernel), query.at(kernel), both.at(kernel), stored.at(kernel));
      }
      INFO(listed(c.misses()));
      CHECK(c.misses().empty());
      CHECK(c.numbers() > (underflow ? 25 : 50));
    }
  }
}

// mu = 1.1e-34739 beside L = 2500: only the graded bound of the Gram matrix resolves it.
TEST_CASE("kernel attention: constants far below the precision are positive") {
  const std::string file = (data_folder / "fixtures/kernel_05_underflow.json").string();
  const Json pl = curvature(file, 12, "W_Q").at("softmax").at("pl");
  const std::string lo = pl.at("W_Q").at("mu").at("lo"), hi = pl.at("W_Q").at("mu").at("hi");
  CHECK(lo.substr(0, 12) == "1.1053701466");
  CHECK(hi.substr(0, 12) == "1.1053701466");
  CHECK(lo.substr(lo.find('e')) == "e-34739");
}

TEST_CASE("kernel attention: options, and what is refused") {
  const std::string file = (data_folder / "fixtures/kernel_05_underflow.json").string();
  const Json one = heedcert_json({"curvature", file, "--kernel", "gaussian/n", "--approx"});
  CHECK(one.at("quantities").size() == 1);
  CHECK(one.at("quantities").at("gaussian/n").at("underflow") == true);
  CHECK(holds(one.at("notes").dump(), "underflow"));

  const TemporaryFolder folder;
  const std::string v = folder.write("v.json", R"([1, "1/2"])");
  const Json with = heedcert_json(
      {"curvature", file, "--blocks", "W_Q", "--direction", v, "--kernel", "softmax"});
  CHECK(with.at("quantities").at("softmax").at("hvp").at("W_Q").size() == 1);

  const auto refused = [](std::vector<std::string> arguments, const char* words) {
    const Outcome outcome = heedcert(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit == 3);
    CHECK(holds(outcome.err, words));
  };
  refused({"curvature", file, "--blocks", "W_X"}, "--blocks: expected all, or W_Q");
  refused({"curvature", file, "--direction", v}, "expected 7 numbers (block by block");
  refused({"curvature", file, "--beta", "2"}, "the file and the command line both give beta");
  refused({"margin", file}, "expected an instance of model attsvm or rows, found kernel");
}

TEST_CASE(
    "kernel attention: ends of the Hessian for hundreds of parameters, and beyond all limits") {
  const auto curvature_of = [](std::vector<std::string> generate, std::vector<std::string> more) {
    generate.insert(generate.begin(), {"generate", "kernel"});
    const auto made = heedcert(generate);
    REQUIRE(made.exit == 0);
    more.insert(more.begin(), {"curvature", "-"});
    return heedcert_json(more, 0, made.out);
  };
  const Json task = curvature_of({"--data", "token-task", "--n", "32", "--seed", "5000",
                                  "--weight-seed", "7000", "--heads", "2", "--kernel", "softmax"},
                                 {});
  // As the dense matrix in balls gave it, in a minute.
  const Json& q = task.at("quantities").at("softmax");
  CHECK(q.at("lambda_min").at("lo").get<std::string>().substr(0, 17) == "-5.31669023000738");
  CHECK(q.at("lambda_min").at("hi").get<std::string>().substr(0, 17) == "-5.31669023000738");
  CHECK(q.at("lambda_max").at("lo").get<std::string>().substr(0, 16) == "82.9562739035712");
  CHECK(q.at("lambda_max").at("hi").get<std::string>().substr(0, 16) == "82.9562739035712");
  CHECK(task.at("notes").empty());

  const Json large = curvature_of(
      {"--data", "gaussian", "--n", "2", "--tokens", "3", "--dim", "64", "--key-dim", "32",
       "--value-dim", "32", "--heads", "2", "--outputs", "2", "--kernel", "gaussian-normalised"},
      {"--digits", "6"});
  const Json& e = large.at("quantities").at("gaussian-normalised");
  const auto number = [&](const char* name, const char* end) {
    return std::stod(e.at(name).at(end).get<std::string>());
  };
  CHECK(number("lambda_min", "lo") < 2 * number("lambda_min", "hi"));
  CHECK(number("lambda_min", "hi") < 0);
  CHECK(number("lambda_max", "lo") > 0);
  CHECK(number("lambda_max", "hi") > 2 * number("lambda_max", "lo"));
  REQUIRE(large.at("notes").size() == 1);
  CHECK(large.at("notes")[0].get<std::string>().find("Rayleigh") != std::string::npos);
}
