// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"
#include "cli/instances.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

// verify must prove, and curvature must enclose narrowly.
void check_instance(const std::string& text) {
  const Json v = heedcert_json({"verify", "-"}, 0, text);
  CHECK(v["status"] == "proved");
  std::size_t proved = 0;
  for (const Json& claim : v["claims"]) {
    INFO(claim.dump());
    CHECK(claim["verdict"] != "refuted");
    if (claim["verdict"] == "undecided") CHECK(claim["equality"] == true);
    proved += claim["verdict"] == "proved" ? 1 : 0;
  }
  CHECK(proved > 15);
  for (const Json& i : v["identities"]) CHECK(i["status"] != "inconsistent");
  const Json c = heedcert_json({"curvature", "-"}, 0, text)["quantities"];
  for (const char* key : {"loss", "G", "gradient_norm", "lambda_min", "lambda_max", "kappa_hat"}) {
    INFO(key << " " << c[key]);
    CHECK(narrow(enclosure_of(c[key]), 15));
  }
}

}  // namespace

TEST_CASE("generate | verify for every data model and every kind of weights") {
  const std::vector<std::vector<std::string>> data = {
      {"--data", "gaussian"},
      {"--data", "unit"},
      {"--data", "mixture", "--zeta", "1/3"},
      {"--data", "mixture", "--zeta", "2/3", "--noise", "0.25", "--clip", "1/2"},
      {"--data", "mixture", "--zeta", "1/3", "--rotate"},
      {"--data", "mixture", "--zeta", "1/3", "--rotate", "--noise", "0.1", "--labels", "coin"}};
  const std::vector<std::string> weights = {"zero", "gaussian:0.5", "one-step:6", "one-step"};
  for (const std::vector<std::string>& d : data)
    for (const std::string& w : weights) {
      std::vector<std::string> arguments = {"generate", "mha", "--n",     "3", "--tokens",  "3",
                                            "--dim",    "4",   "--heads", "2", "--weights", w};
      arguments.insert(arguments.end(), d.begin(), d.end());
      std::string line;
      for (const std::string& a : arguments) line += a + " ";
      INFO(line);
      const Outcome made = heedcert(arguments);
      REQUIRE(made.exit == 0);
      check_instance(made.out);
    }
}

TEST_CASE("verify takes ragged files, the exponential loss, one head and one token") {
  check_instance(ragged_instance().text());
  check_instance(ragged_instance("exponential").text());
  check_instance(small_instance().text());  // H = 1
  Written exponential = small_instance();
  exponential.loss = "exponential";
  check_instance(exponential.text());
  check_instance(Written{
      {{{"1", "2"}}, {{"-1", "1/3"}}}, {1, -1}, {{{"1", "-1/2"}}}, {{{"1", "0"}, {"0", "1"}}}}
                     .text());
}

TEST_CASE("the loss option reaches a file that does not state one") {
  Json j = Json::parse(small_instance().text());
  j.erase("loss");
  const std::string bare = j.dump();
  j["loss"] = "exponential";
  const Json given = heedcert_json({"curvature", "-", "--loss", "exponential"}, 0, bare);
  CHECK(given["quantities"] == heedcert_json({"curvature", "-"}, 0, j.dump())["quantities"]);
  CHECK(given["quantities"] != heedcert_json({"curvature", "-"}, 0, bare)["quantities"]);
}

TEST_CASE("a file with another order of keys and plain numbers is the same instance") {
  const std::string a =
      R"({"y":[1,-1],"W":[[[0.5]]],"U":[[[2],[-1]]],"X":[[[1],[0.25]],[[3],[-2]]]})";
  const std::string b =
      R"({"X":[[["1"],["1/4"]],[["3"],["-0x1p1"]]],"y":["+1","-1"],"U":[[["2"],["-1.0"]]],)"
      R"("W":[[["5e-1"]]],"format":"heed-instance-1","model":"mha","loss":"logistic"})";
  const Json ja = heedcert_json({"curvature", "--full", "-"}, 0, a);
  const Json jb = heedcert_json({"curvature", "--full", "-"}, 0, b);
  CHECK(ja["quantities"] == jb["quantities"]);
}

TEST_CASE("the example of the repository is verified") {
  const std::string example = std::string(HEED_EXAMPLES) + "/digits-3-vs-8.json";
  const Json j = heedcert_json({"curvature", example});
  CHECK(j["status"] == "ok");
}
