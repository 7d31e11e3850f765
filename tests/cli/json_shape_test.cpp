// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"
#include "cli/instances.hpp"
#include "cli/run.hpp"
#include "heed/data/sha256.hpp"

using namespace cli_test;

namespace {

const std::string fixture = (data_folder / "fixtures" / "mha_base.json").string();

void check_common(const Json& j, const std::string& command) {
  INFO(command);
  CHECK(j.value("schema", "") == "heed-result-1");
  CHECK(j.value("command", "") == command);
  CHECK(holds(heedcert({"--version"}).out, j.value("version", "absent")));
  for (const char* key :
       {"seed", "settings", "inputs", "status", "quantities", "claims", "notes"}) {
    INFO(key);
    CHECK(j.contains(key));
  }
  CHECK(j["settings"].is_object());
  CHECK(j["inputs"].is_array());
  CHECK(j["quantities"].is_object());
  CHECK(j["claims"].is_array());
  CHECK(j["notes"].is_array());
}

// Rigorous numbers are strings; nothing below is a bare JSON float, and bounds are ordered.
void check_numbers(const Json& j, std::size_t& enclosures) {
  CHECK_FALSE(j.is_number_float());
  if (j.is_array()) {
    for (const Json& x : j) check_numbers(x, enclosures);
  } else if (j.is_object() && j.contains("lo")) {
    ++enclosures;
    INFO(j.dump());
    const Enclosure e = enclosure_of(j);
    if (j.contains("exact")) {
      const Rational exact = Rational::parse(j["exact"].get<std::string>());
      CHECK(e.lo == exact);
      CHECK(e.hi == exact);
    }
  } else if (j.is_object()) {
    for (const auto& [key, x] : j.items()) {
      INFO(key);
      check_numbers(x, enclosures);
    }
  }
}

}  // namespace

TEST_CASE("every --json object has the keys of schema heed-result-1") {
  check_common(heedcert_json({"verify", fixture}), "verify");
  check_common(heedcert_json({"curvature", fixture}), "curvature");
  check_common(heedcert_json({"claims"}), "claims");
  check_common(heedcert_json({"explain", "mha.grad_bound"}), "explain");
  check_common(heedcert_json({"selftest"}), "selftest");
}

TEST_CASE("inputs carry the hash of what was read") {
  for (const std::string command : {"verify", "curvature"}) {
    const Json inputs = heedcert_json({command, fixture})["inputs"];
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0]["file"] == fixture);
    CHECK(inputs[0]["sha256"] == heed::sha256_of_file(fixture));
    const std::string bytes = bytes_of(fixture);
    const Json piped = heedcert_json({command, "-"}, 0, bytes)["inputs"];
    REQUIRE(piped.size() == 1);
    CHECK(piped[0].value("sha256", "absent") == heed::sha256_hex(bytes));
  }
}

TEST_CASE("a direction is an input too") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", small_instance().text());
  const std::string v = folder.write("v.json", "[1, 0, 0, 0, 0, 0, 0, 2]");
  const Json inputs = heedcert_json({"curvature", file, "--direction", v})["inputs"];
  REQUIRE(inputs.size() == 2);
  CHECK(inputs[1]["file"] == v);
  CHECK(inputs[1]["sha256"] == heed::sha256_of_file(v));
}

TEST_CASE("settings and seed are echoed") {
  const Json j = heedcert_json({"verify", fixture, "--digits", "20", "--max-bits", "4096",
                                "--threads", "2", "--seed", "5", "--full"});
  CHECK(j["seed"] == 5);
  CHECK(j["settings"]["digits"] == 20);
  CHECK(j["settings"]["max_bits"] == 4096);
  CHECK(j["settings"]["full"] == true);
}

TEST_CASE("rigorous numbers are exact strings in order") {
  std::size_t enclosures = 0;
  const Json v = heedcert_json({"verify", "--full", fixture});
  check_numbers(v["quantities"], enclosures);
  check_numbers(v["claims"], enclosures);
  const Json c = heedcert_json({"curvature", "--full", "--approx", fixture});
  check_numbers(c["quantities"], enclosures);
  CHECK(enclosures > 300);
}

TEST_CASE("claims have the keys of the schema") {
  const Json j = heedcert_json({"verify", "--full", fixture});
  std::size_t with_samples = 0;
  for (const Json& claim : j["claims"]) {
    INFO(claim["id"] << " " << claim["rung"]);
    for (const char* key :
         {"id", "rung", "verdict", "lhs", "rhs", "tightness", "bits", "hypotheses", "reason"}) {
      INFO(key);
      CHECK(claim.contains(key));
    }
    for (const Json& h : claim["hypotheses"]) {
      CHECK(h.contains("text"));
      CHECK(h.contains("status"));
    }
    if (!claim.contains("per_sample")) continue;
    ++with_samples;
    CHECK(claim["per_sample"].size() == claim["items"]);
  }
  CHECK(with_samples > 0);
  for (const Json& claim : heedcert_json({"verify", fixture})["claims"])
    CHECK_FALSE(claim.contains("per_sample"));
}

TEST_CASE("the exact rung is the quantity that curvature reports") {
  const Json v = heedcert_json({"verify", fixture}), c = heedcert_json({"curvature", fixture});
  const Enclosure least = enclosure_of(c["quantities"]["lambda_min"]);
  for (const Json& claim : v["claims"])
    if (claim["id"] == "mha.weak_convexity") {
      const Enclosure lhs = enclosure_of(claim["lhs"]);
      CHECK(lhs.meets({-least.hi, -least.lo}));
    }
  CHECK(v["quantities"]["loss"] == c["quantities"]["loss"]);
}

TEST_CASE("several files: one object, the worst status, every input") {
  const std::string other = (data_folder / "fixtures" / "mha_d1.json").string();
  const Json j = heedcert_json({"verify", fixture, other});
  check_common(j, "verify");
  CHECK(j["inputs"].size() == 2);
  const Outcome text = heedcert({"verify", fixture, other});
  CHECK(text.exit == 0);
  CHECK(holds(text.out, fixture));
  CHECK(holds(text.out, other));
}
