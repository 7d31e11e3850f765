// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"
#include "cli/instances.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

Json verified(const Written& w) { return heedcert_json({"verify", "--full", "-"}, 0, w.text()); }
Json curvature(const Written& w) {
  return heedcert_json({"curvature", "--full", "-"}, 0, w.text())["quantities"];
}

void check_no_refutation(const Json& j) {
  CHECK(j["status"] == "proved");
  for (const Json& c : j["claims"]) {
    INFO(c.dump());
    CHECK(c["verdict"] != "refuted");
    if (c["verdict"] == "undecided") {
      CHECK(c["equality"] == true);
      CHECK(holds(c["reason"], "equality"));
    }
  }
}

bool is_exactly(const Json& j, const char* value) {
  const Rational v = Rational::parse(value);
  const Enclosure e = enclosure_of(j);
  return j.contains("exact") && e.lo == v && e.hi == v;
}

const Json& claim_of(const Json& j, const std::string& id, const std::string& rung) {
  for (const Json& c : j["claims"])
    if (c["id"] == id && c["rung"] == rung) return c;
  FAIL("no such rung: " + id + " " + rung);
  return j;
}

}  // namespace

TEST_CASE("one token: no curvature but that of the read-out, so lambda_min is exactly 0") {
  const Written w{{{{"1", "2"}}, {{"-1", "1/3"}}, {{"1/7", "1"}}},
                  {1, -1, 1},
                  {{{"1", "-1/2"}}, {{"2", "1"}}},
                  {{{"1", "0"}, {"1/2", "-1"}}, {{"-1", "1"}, {"2", "1/3"}}}};
  check_no_refutation(verified(w));
  const Json q = curvature(w);
  CHECK(is_exactly(q["lambda_min"], "0"));
  CHECK(is_exactly(q["kappa_hat"], "0"));
  for (const Json& b : q["block_min_eigenvalues"]) CHECK(is_exactly(b, "0"));
  CHECK(enclosure_of(q["lambda_max"]).lo.sign() > 0);
  for (const char* rung : {"third", "variance", "covariance"})
    CHECK(claim_of(verified(w), "moment.third", rung)["verdict"] == "proved");
}

TEST_CASE("U = 0 with tokens +e and -e attains the variance bound") {
  const Written w{{{{"1"}, {"-1"}}}, {1}, {{{"0"}, {"0"}}}, {{{"0"}}}};
  const Json j = verified(w);
  check_no_refutation(j);
  const Json q = curvature(w);
  CHECK(is_exactly(q["phi"][0], "0"));
  CHECK(is_exactly(q["G"], "1/2"));
}

TEST_CASE("the read-out attains the variance bound: tokens +e and -e, u = e") {
  const Written w{{{{"1"}, {"-1"}}}, {1}, {{{"1"}, {"1"}}}, {{{"0"}}}};
  const Json j = verified(w);
  check_no_refutation(j);
  const Json& variance = claim_of(j, "moment.third", "variance");
  CHECK((variance["verdict"] == "proved" || variance["equality"] == true));
  CHECK(enclosure_of(variance["lhs"]).meets(enclosure_of(variance["rhs"])));
}

TEST_CASE("one sample, one dimension, one head, one token") {
  const Written w{{{{"3/7"}}}, {-1}, {{{"2"}}}, {{{"-1/3"}}}};
  check_no_refutation(verified(w));
  const Json q = curvature(w);
  CHECK(is_exactly(q["lambda_min"], "0"));
  CHECK(q["gradient"].size() == 2);
  CHECK(is_exactly(q["gradient"][1], "0"));
}

TEST_CASE("identical samples with opposite labels and U = 0: a stationary point, 0 = 0") {
  const std::vector<Row> tokens = {{"1", "1/3"}, {"-1/2", "2"}};
  const Written w{
      {tokens, tokens}, {1, -1}, {{{"0", "0"}, {"0", "0"}}}, {{{"1", "0"}, {"1/3", "-1"}}}};
  check_no_refutation(verified(w));
  const Json q = curvature(w);
  CHECK(is_exactly(q["gradient_norm"], "0"));
  for (const Json& g : q["gradient"]) CHECK(is_exactly(g, "0"));
  CHECK(is_exactly(q["lambda_min"], "0"));
}

TEST_CASE("identical tokens: attention is uniform and no head can turn negative") {
  const Row x = {"1/3", "-2"};
  const Written w{{{x, x, x}, {{"1", "1"}, {"1", "1"}, {"1", "1"}}},
                  {1, -1},
                  {{{"1", "0"}, {"2", "1/7"}, {"0", "-1"}}},
                  {{{"1", "0"}, {"1/3", "-1"}}}};
  check_no_refutation(verified(w));
  const Json q = curvature(w);
  for (const Json& row : q["attention"][0][0])
    for (const Json& a : row) CHECK(enclosure_of(a).contains(Rational(1, 3)));
  CHECK(is_exactly(q["lambda_min"], "0"));
}

TEST_CASE("all weights and tokens 0") {
  const Written w{{{{"0", "0"}, {"0", "0"}}, {{"0", "0"}, {"0", "0"}}},
                  {1, -1},
                  {{{"0", "0"}, {"0", "0"}}},
                  {{{"0", "0"}, {"0", "0"}}}};
  check_no_refutation(verified(w));
  const Json q = curvature(w);
  for (const char* key : {"gradient_norm", "lambda_min", "lambda_max", "kappa_hat"}) {
    INFO(key << " " << q[key]);
    CHECK(is_exactly(q[key], "0"));
  }
}
