// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

std::string named(const TemporaryFolder& folder, const std::string& name) {
  const std::string path = folder.path(name + ".json");
  CHECK(heedcert({"generate", "kernel", "--name", name, "-o", path, "--force"}).exit == 0);
  return path;
}

Json landscape(std::vector<std::string> arguments, int exit = 0) {
  arguments.insert(arguments.begin(), "landscape");
  return heedcert_json(arguments, exit).at("quantities");
}

bool has_bad_minimum(const Json& points) {
  return std::any_of(points.begin(), points.end(), [](const Json& p) {
    return p.at("kind") == "strict local minimum" && p.contains("non_global");
  });
}

}  // namespace

TEST_CASE("landscape: the named bad minima, and the kernels that have none") {
  const TemporaryFolder folder;
  struct Case {
    const char *name, *stuck, *free, *minima, *global;
  };
  for (const Case& c : {Case{"SM1", "softmax", "gaussian", "243", "32"},
                        Case{"GA1", "gaussian", "softmax", nullptr, nullptr},
                        Case{"PAIR", "gaussian", "softmax", "9", "4"}}) {
    INFO(c.name);
    const std::string file = named(folder, c.name);
    const Json stuck = landscape({file, "--kernel", c.stuck}).at(c.stuck);
    CHECK(has_bad_minimum(stuck.at("points")));
    CHECK(stuck.at("complete_1d").at("globally_benign") == false);
    if (c.minima) {
      CHECK(stuck.at("complete_1d").at("local_minima") == c.minima);
      CHECK(stuck.at("complete_1d").at("global_minima") == c.global);
    }
    const Json free = landscape({file, "--kernel", c.free}).at(c.free);
    CHECK_FALSE(has_bad_minimum(free.at("points")));
    CHECK(free.at("complete_1d").at("globally_benign") == true);
  }
}

TEST_CASE("landscape: a trap of gradient descent, and boxes that are none") {
  const TemporaryFolder folder;
  const std::string file = named(folder, "SM1");
  const std::vector<std::string> box{file, "--kernel", "softmax", "--trap", "2/5", "--start"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = box;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Json trap = landscape(with({"1/16", "--eta", "3.37"})).at("softmax").at("trap");
  CHECK(trap.at("verdict") == "proved");
  CHECK(trap.at("eta").at("trapped") == true);
  CHECK(trap.at("fails_forever").at("verdict") == "proved");
  CHECK(enclosure_of(trap.at("start_loss")).hi <= Rational::parse("0.1028179"));
  CHECK(enclosure_of(trap.at("boundary_loss")).lo >= Rational::parse("0.10882"));
  CHECK(enclosure_of(trap.at("region_loss")).lo >= Rational::parse("0.09994"));
  CHECK(enclosure_of(trap.at("hessian_norm")).hi <= Rational::parse("0.29655"));
  // A step that is not proved to be trapped, and a start outside.
  CHECK(
      landscape(with({"1/16", "--eta", "7"}), 2).at("softmax").at("trap").at("eta").at("trapped") ==
      false);
  const Json outside = landscape(with({"1/2"}), 1).at("softmax").at("trap");
  CHECK(outside.at("verdict") == "refuted");
}

TEST_CASE("landscape: certificates of points and traps are valid, about the right instance") {
  const TemporaryFolder folder;
  const auto certify = [&](const std::string& name, std::vector<std::string> options) {
    const std::string certificate = folder.path(name + ".cert.json");
    std::vector<std::string> all{"certify", "landscape", named(folder, name),
                                 "-o",      certificate, "--force"};
    all.insert(all.end(), options.begin(), options.end());
    const Outcome written = heedcert(all);
    INFO(name << ": " << written.out << written.err);
    CHECK(written.exit == 0);
    const std::size_t at = written.out.find("--sha256 ");
    REQUIRE(at != std::string::npos);
    return std::make_pair(certificate, written.out.substr(at + 9, 64));
  };
  const auto check = [&](const std::string& name, std::vector<std::string> options,
                         const std::string& claim) {
    const auto [certificate, sha256] = certify(name, std::move(options));
    const Outcome checked = heedcheck({"--sha256", sha256, certificate});
    INFO(name << ": " << checked.out);
    CHECK(checked.exit == 0);
    CHECK(holds(checked.out, "claim: " + claim));
    CHECK(heedcheck({"--sha256", std::string(64, 'a'), certificate}).exit == 1);
  };
  check("SM1", {"--kernel", "softmax"}, "minimum, non_global");
  check("GA1", {"--kernel", "gaussian"}, "minimum, non_global");
  check("PAIR", {"--kernel", "gaussian"}, "minimum, non_global");
  check("COUPLED", {"--kernel", "softmax"}, "minimum, non_global");
  check("J1", {"--kernel", "softmax", "--blocks", "all"}, "saddle, non_global");
  check("J1G", {"--kernel", "gaussian", "--blocks", "all"}, "saddle, non_global");
  check("KRAWCZYK-S", {"--kernel", "softmax"}, "minimum, non_global");
  check("KRAWCZYK-G", {"--kernel", "gaussian"}, "minimum, non_global");
  check("SM1", {"--kernel", "softmax", "--trap", "2/5", "--start", "1/16"}, "trap, fails_forever");
  check("SM1", {"--kernel", "softmax", "--trap", "ball:1/10", "--start", "1/100"},
        "trap, fails_forever");
  for (const auto& [name, kernel] : {std::pair{"GA1", "gaussian"},
                                     {"PAIR", "gaussian"},
                                     {"COUPLED", "softmax"},
                                     {"KRAWCZYK-S", "softmax"},
                                     {"KRAWCZYK-G", "gaussian"}})
    check(name, {"--kernel", kernel, "--trap", "auto"}, "trap, fails_forever");
}

TEST_CASE(
    "landscape: the widest ball around a bad minimum, and balls and boxes that are asked for") {
  const TemporaryFolder folder;
  const auto number = [](const Json& exact) {
    return Rational::parse(exact.at("exact").get<std::string>());
  };
  const std::string file = named(folder, "SM1");
  const std::vector<std::string> softmax{file, "--kernel", "softmax"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = softmax;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Json point = landscape(with({"--point"})).at("softmax").at("points").at(0);
  const Json ball = point.at("trap");
  CHECK(ball.at("verdict") == "proved");
  CHECK(ball.at("fails_forever").at("verdict") == "proved");
  CHECK(ball.at("one_minimum") == true);
  CHECK(number(ball.at("radius")) < Rational::parse("0.41774679"));
  CHECK(number(ball.at("radius")) > Rational::parse("0.38"));
  CHECK(number(ball.at("start_radius")) > Rational::parse("0.2"));
  CHECK(enclosure_of(ball.at("step_limit")).lo > Rational(6));
  const Json again = landscape(with({"--trap", "auto", "--eta", "6"}));
  CHECK(again.at("softmax").at("points").at(0).at("trap").at("eta").at("trapped") == true);
  landscape(with({"--trap", "auto", "--eta", "7"}), 2);
  const Json round = landscape(with({"--trap", "ball:1/10", "--start", "1/100"}));
  CHECK(round.at("softmax").at("trap").at("verdict") == "proved");
  CHECK(round.at("softmax").at("trap").at("route") == "curvature");
  // |theta_0|^2 = 5/400 > 1/100, though the start is in the box around the ball.
  landscape(with({"--trap", "ball:1/10", "--start", "1/20"}), 1);
  const std::string half = folder.write("half.json", R"(["2/5", "2/5", "0.3", "2/5", "1/4"])");
  CHECK(
      landscape(with({"--trap", half, "--start", "1/16"})).at("softmax").at("trap").at("verdict") ==
      "proved");
  const Json krawczyk =
      landscape({named(folder, "KRAWCZYK-S"), "--kernel", "softmax", "--trap", "auto"});
  CHECK(krawczyk.at("softmax").at("points").at(0).at("trap").at("verdict") == "proved");
  // W_Q and W_K of softmax: there is no bounded region.
  const Json both = landscape(with({"--trap", "auto", "--blocks", "W_Q,W_K"}), 2);
  CHECK(both.at("softmax").at("points").at(0).at("trap").at("verdict") == "not_applicable");
  const Outcome text = heedcert({"landscape", file, "--kernel", "softmax", "--trap", "auto"});
  CHECK(holds(text.out, "from every start within 0.2"));
  CHECK(holds(text.out, "fails forever: a witness"));
}

TEST_CASE("landscape: the coupled minima are found from random starts") {
  const TemporaryFolder folder;
  for (const auto& [name, kernel] :
       {std::pair{"KRAWCZYK-S", "softmax"}, std::pair{"KRAWCZYK-G", "gaussian"}}) {
    INFO(name);
    const Json q = landscape({named(folder, name), "--kernel", kernel, "--starts", "300"});
    CHECK(has_bad_minimum(q.at(kernel).at("points")));
  }
}

TEST_CASE("landscape: what is refused") {
  const TemporaryFolder folder;
  const std::string file = named(folder, "SM1");
  const auto refused = [](const std::vector<std::string>& arguments, const char* words) {
    const Outcome outcome = heedcert(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit == 3);
    CHECK(holds(outcome.err, words));
  };
  refused({"landscape", file, "--blocks", "W_Z"}, "--blocks: expected all");
  refused({"landscape", file, "--trap", "-1"}, "--trap: expected a half width > 0");
  refused({"landscape", file, "--trap", "ball:0"}, "--trap: expected ball:RADIUS");
  refused({"landscape", file, "--trap", "ball:x"}, "--trap:");
  refused({"landscape", file, "--trap", "auto", "--eta", "0"}, "--eta: expected a step > 0");
  refused({"landscape", file, "--trap", "no-such-file.json"}, "no-such-file.json");
  refused({"landscape", file, "--trap", "1", "--eta", "0"}, "--eta: expected a step > 0");
  refused({"landscape", file, "--radius", "x"}, "--radius: expected a number");
  refused({"landscape", (data_folder / "fixtures/mha_base.json").string()},
          "model mha; expected kernel");
  const std::string unnamed = (data_folder / "fixtures/kernel_06_softmax_bad_min.json").string();
  refused({"certify", "landscape", unnamed, "-o", folder.path("c.json")}, "name it with --kernel");
  const std::string centre = folder.write("c.json", "[1, 2]");
  refused({"landscape", file, "--centre", centre}, "expected 5 numbers");
}
