// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

using namespace cli_test;

namespace {

const std::vector<std::string> subcommands = {"verify",   "curvature", "claims",  "explain",
                                              "generate", "convert",   "selftest"};
const std::string fixture = (data_folder / "fixtures" / "mha_base.json").string();

}  // namespace

TEST_CASE("--help and --version answer on stdout and end with 0") {
  const Outcome help = heedcert({"--help"});
  CHECK(help.exit == 0);
  CHECK(help.err.empty());
  for (const std::string& sub : subcommands) {
    INFO(sub);
    CHECK(holds(help.out, "\n  " + sub + " "));
    const Outcome own = heedcert({sub, "--help"});
    CHECK(own.exit == 0);
    CHECK(own.err.empty());
    CHECK(holds(own.out, "Usage: heedcert " + sub));
    CHECK(holds(own.out, "Example"));
    CHECK(holds(own.out, "\n  heedcert " + sub));
  }
  const Outcome version = heedcert({"--version"});
  CHECK(version.exit == 0);
  CHECK(version.out.rfind("heedcert ", 0) == 0);
}

TEST_CASE("every command names its exit codes or cannot fail on data") {
  for (const std::string sub : {"verify", "curvature"}) {
    INFO(sub);
    CHECK(holds(heedcert({sub, "--help"}).out, "Exit: 0 "));
  }
}

TEST_CASE("wrong usage ends with 64, on stderr only") {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"prove"},
      {"--json"},
      {"verify"},
      {"verify", "--bogus", fixture},
      {"verify", fixture, "--digits"},
      {"verify", fixture, "--digits", "0"},
      {"verify", fixture, "--digits", "2001"},
      {"verify", fixture, "--digits", "many"},
      {"verify", fixture, "--max-bits", "8"},
      {"verify", fixture, "--threads", "0"},
      {"verify", fixture, "--timeout", "-1"},
      {"verify", fixture, "--loss", "hinge"},
      {"curvature"},
      {"curvature", fixture, fixture},
      {"curvature", fixture, "--direction"},
      {"explain"},
      {"generate"},
      {"generate", "mha", "--data", "words"},
      {"generate", "mha", "--n", "many"},
      {"convert"},
      {"selftest", fixture},
  };
  for (const std::vector<std::string>& arguments : wrong) {
    std::string line;
    for (const std::string& a : arguments) line += a + " ";
    const Outcome o = heedcert(arguments);
    INFO("heedcert " << line << ": " << o.err);
    CHECK(o.exit == 64);
    CHECK(o.out.empty());
    CHECK_FALSE(o.err.empty());
    CHECK(holds(o.err, "--help"));
    CHECK(o.err.size() < 400);
  }
}

TEST_CASE("usage messages name the word that is wrong") {
  CHECK(holds(heedcert({"prove"}).err, "prove"));
  CHECK(holds(heedcert({"verify", "--bogus", fixture}).err, "--bogus"));
  const Outcome negative = heedcert({"generate", "mha", "--n", "-3"});
  INFO(negative.err);
  CHECK((negative.exit == 64 || negative.exit == 3));
  CHECK(holds(negative.err, "-3"));
}

TEST_CASE("claims and explain agree on what exists") {
  const Json index = heedcert_json({"claims"});
  CHECK(index["status"] == "ok");
  REQUIRE(index["claims"].size() >= 8);
  const Outcome text = heedcert({"claims"});
  CHECK(text.exit == 0);
  CHECK(text.out.rfind(std::to_string(index["claims"].size()) + " claims", 0) == 0);
  for (const Json& claim : index["claims"]) {
    const std::string id = claim["id"];
    INFO(id);
    CHECK(holds(text.out, id + " "));
    const Json one = heedcert_json({"explain", id});
    REQUIRE(one["claims"].size() == 1);
    CHECK(one["claims"][0] == claim);
    const Outcome words = heedcert({"explain", id});
    CHECK(words.exit == 0);
    CHECK(words.out.rfind(id + "\n", 0) == 0);
    CHECK(holds(words.out, claim["statement"]));
    CHECK(holds(words.out, claim["note"]));
    // What is certified of points is no ladder.
    CHECK(claim["rungs"].empty() == holds(claim["header"].get<std::string>(), "heed/landscape/"));
    for (const Json& rung : claim["rungs"]) {
      CHECK(holds(words.out, "\n  " + rung["rung"].get<std::string>() + " "));
      CHECK(holds(words.out, rung["bound"]));
    }
  }
  const Outcome unknown = heedcert({"explain", "mha.no_such_claim"});
  CHECK(unknown.exit == 3);
  CHECK(unknown.out.empty());
  CHECK(holds(unknown.err, "\"mha.no_such_claim\""));
  for (const Json& claim : index["claims"]) CHECK(holds(unknown.err, claim["id"]));
}

TEST_CASE("every rung that verify reports is explained") {
  const Json index = heedcert_json({"claims"});
  for (const std::string loss : {"logistic", "exponential"}) {
    const Json j = heedcert_json({"verify", fixture, "--loss", loss});
    for (const Json& claim : j["claims"]) {
      INFO(claim["id"] << " " << claim["rung"]);
      bool found = false;
      for (const Json& c : index["claims"])
        for (const Json& rung : c["rungs"])
          found = found || (c["id"] == claim["id"] && rung["rung"] == claim["rung"]);
      CHECK(found);
    }
  }
}

TEST_CASE("selftest says ok") {
  const Outcome text = heedcert({"selftest"});
  CHECK(text.exit == 0);
  CHECK(text.out.rfind("ok", 0) == 0);
  const Json j = heedcert_json({"selftest", "--seed", "7"});
  CHECK(j["status"] == "ok");
  CHECK(j["seed"] == 7);
}
