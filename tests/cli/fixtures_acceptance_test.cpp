// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

// Names on the command line and in the reference files.
const std::vector<std::pair<std::string, std::string>> names = {
    {"phi", "Phi"},
    {"margins", "margins"},
    {"losses", "loss"},
    {"dloss", "dloss"},
    {"d2loss", "d2loss"},
    {"loss", "L"},
    {"G", "G"},
    {"gradient", "grad_L"},
    {"gradient_norm", "grad_L_norm"},
    {"attention", "attention"},
    {"ntk_kernel", "ntk_kernel"},
    {"hvp", "hvp_L"},
    {"lambda_min", "lambda_min"},
    {"lambda_max", "lambda_max"},
    {"block_min_eigenvalues", "block_min_eigs_over_sqrtH"},
};
const std::vector<std::string> hessian_results = {"lambda_min", "lambda_max",
                                                  "block_min_eigs_over_sqrtH", "bounds"};

// The reference files hold at least this many correct digits.
constexpr int stored_digits = 48;

std::string direction(std::size_t parameters) {
  Json v = Json::array();
  for (std::size_t k = 0; k < parameters; ++k)
    v.push_back(Rational(static_cast<long>((7 * k + 3) % 11) - 5, 4).to_string());
  return v.dump();
}

struct Results {
  Json curvature, verify;
};

Results run_both(const std::string& file, const std::string& direction_file, int digits) {
  const std::string n = std::to_string(digits);
  return {
      heedcert_json({"curvature", "--full", "--direction", direction_file, "--digits", n, file}),
      heedcert_json({"verify", "--full", "--digits", n, file})};
}

void compare_with_stored(const Results& r, const Json& stored, bool has_hessian, int digits) {
  Comparison c(digits, stored_digits);
  for (const auto& [printed, name] : names) {
    if (stored.contains(name)) {
      REQUIRE(r.curvature.at("quantities").contains(printed));
      c.compare(printed, r.curvature.at("quantities").at(printed), stored.at(name));
    } else {
      CHECK_FALSE(has_hessian);
      CHECK(std::find(hessian_results.begin(), hessian_results.end(), name) !=
            hessian_results.end());
    }
  }
  const Json& q = r.verify.at("quantities");
  c.compare("verify loss", q.at("loss"), stored.at("L"));
  CHECK(stored.contains("bounds") == has_hessian);
  if (has_hessian) c.compare("bounds", q.at("bounds"), stored.at("bounds"));
  INFO(listed(c.misses()));
  CHECK(c.misses().empty());
  CHECK(c.numbers() > 20);
}

}  // namespace

TEST_CASE("enclosures contain the stored results of every reference file, narrowly") {
  const TemporaryFolder folder;
  for (const auto& path : fixture_files()) {
    INFO(path.filename().string());
    const Json file = Json::parse(bytes_of(path));
    const Json& stored = file.at("results");
    const std::string v = folder.write("v.json", direction(stored.at("grad_L").size()));
    const bool has_hessian = path.stem() != "mha_dm1_onestep";
    for (const int digits : {15, 40})
      compare_with_stored(run_both(path.string(), v, digits), stored, has_hessian, digits);
  }
}

TEST_CASE("stored results do not influence what is computed") {
  const TemporaryFolder folder;
  for (const auto& path : fixture_files()) {
    INFO(path.filename().string());
    Json file = Json::parse(bytes_of(path));
    const std::string v = folder.write("v.json", direction(file["results"]["grad_L"].size()));
    const Results whole = run_both(path.string(), v, 15);
    file.erase("results");
    const Results bare = run_both(folder.write("bare.json", file.dump()), v, 15);
    CHECK(whole.curvature["quantities"] == bare.curvature["quantities"]);
    CHECK(whole.verify["quantities"] == bare.verify["quantities"]);
    CHECK(whole.verify["claims"] == bare.verify["claims"]);
  }
}
