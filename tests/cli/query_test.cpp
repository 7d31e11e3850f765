// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

constexpr int stored_digits = 40;

/// The claims of one id and rung.
const Json& rung(const Json& result, const std::string& id, const std::string& name) {
  for (const Json& c : result.at("claims"))
    if (c.at("id") == id && c.at("rung") == name) return c;
  FAIL("no rung " << id << " " << name);
  return result;
}

}  // namespace

TEST_CASE("curvature --at k reproduces every entry of loss_evals") {
  std::size_t entries = 0;
  for (const auto& path : fixture_files("attsvm")) {
    const Json file = Json::parse(bytes_of(path));
    if (!file.contains("loss_evals")) continue;
    for (std::size_t k = 0; k < file["loss_evals"].size(); ++k) {
      INFO(path.filename().string() << " " << k);
      const Json& stored = file["loss_evals"][k];
      const Json j = heedcert_json(
          {"curvature", "--full", "--digits", "30", "--at", std::to_string(k), path.string()});
      const Json& q = j.at("quantities");
      Comparison c(28, stored_digits, 55);
      c.compare("loss", q.at("loss"), stored.at("L"));
      c.compare("gradient", q.at("gradient"), stored.at("grad"));
      c.compare("hvp", q.at("hvp"), stored.at("hvp"));
      c.compare("quad", q.at("quad"), stored.at("quad"));
      INFO(listed(c.misses()));
      CHECK(c.misses().empty());
      const Enclosure least = enclosure_of(q.at("lambda_min")),
                      largest = enclosure_of(q.at("lambda_max"));
      CHECK(least.lo <= largest.hi);
      ++entries;
    }
  }
  CHECK(entries == 78);
}

TEST_CASE("verify on query attention: nothing is refuted, no identity fails, at every point") {
  std::size_t proved = 0;
  for (const auto& path : fixture_files("attsvm")) {
    const Json file = Json::parse(bytes_of(path));
    const std::size_t points = file.contains("loss_evals") ? file["loss_evals"].size() : 1;
    for (std::size_t k = 0; k < points; ++k) {
      INFO(path.filename().string() << " " << k);
      const Outcome o =
          heedcert({"verify", "--json", "--digits", "9", "--at", std::to_string(k), path.string()});
      INFO(o.err);
      CHECK((o.exit == 0 || o.exit == 2));
      const Json result = parse_object(o);
      for (const Json& c : result.at("claims")) {
        INFO(c.at("id") << " " << c.at("rung") << " " << c.at("reason"));
        CHECK(c.at("verdict") != "refuted");
        CHECK((c.at("verdict") != "undecided" || c.at("equality").get<bool>()));
        proved += c.at("verdict") == "proved" ? 1 : 0;
      }
      for (const Json& i : result.at("identities")) CHECK(i.at("status") != "inconsistent");
    }
  }
  CHECK(proved > 500);
}

TEST_CASE("the counterexample: every hypothesis is proved, global convergence is not claimed") {
  const std::string counterexample =
      bytes_of(data_folder / "fixtures" / "attsvm_15_counterexample_global.json");
  const Json j = parse_object(heedcert({"verify", "--json", "-"}, counterexample));
  for (const char* name : {"feasible", "unique_optima", "E", "S", "C"}) {
    INFO(name);
    CHECK(j["quantities"]["hypotheses"][name]["status"] == "proved");
  }
  CHECK(rung(j, "attsvm.feasible_overparam", "norm")["verdict"] == "proved");
  const std::string words = heedcert({"verify", "-"}, counterexample).out;
  CHECK(words.size() > 200);
  for (const char* claim : {"converge", "reaches", "global"}) CHECK_FALSE(holds(words, claim));
}

TEST_CASE("query attention without W: margins and hypotheses, pointwise claims not applicable") {
  const Outcome made = heedcert({"generate", "attsvm", "--n", "3", "--tokens", "4", "--dim", "5"});
  CHECK(made.exit == 0);
  const Json j = parse_object(heedcert({"verify", "--json", "-"}, made.out));
  CHECK(j["quantities"].contains("margin_frobenius"));
  CHECK(rung(j, "attsvm.self_bounded", "gradient")["verdict"] == "not_applicable");
  const Outcome curvature = heedcert({"curvature", "-"}, made.out);
  CHECK(curvature.exit == 3);
  CHECK(holds(curvature.err, "missing W"));
  const Outcome rows = heedcert({"verify", "-"}, R"({"model": "rows", "F": [[1]]})");
  CHECK(rows.exit == 3);
  CHECK(holds(rows.err, "heedcert margin"));
}

TEST_CASE("generate attsvm: the structure that was asked for is found again") {
  const auto conditions = [](const std::string& data) {
    const Outcome made = heedcert({"generate", "attsvm", "--data", data, "--n", "3", "--tokens",
                                   "3", "--dim", "4", "--weights", "gaussian:1"});
    INFO(made.err);
    CHECK(made.exit == 0);
    return parse_object(heedcert({"verify", "--json", "-"}, made.out))["quantities"]["hypotheses"];
  };
  CHECK(conditions("equal-scores")["E"]["status"] == "proved");
  CHECK(conditions("all-support")["S"]["status"] == "proved");
  CHECK(conditions("orthonormal")["unique_optima"]["status"] == "proved");
  CHECK(heedcert({"generate", "attsvm", "--data", "mixture"}).exit == 3);
  CHECK(heedcert({"generate", "mha", "--data", "all-support"}).exit == 3);
}
