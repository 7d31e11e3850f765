// SPDX-License-Identifier: Apache-2.0
#include "cli/human_number.hpp"
#include "cli/instances.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

const std::string saturated = (data_folder / "fixtures" / "mha_saturated.json").string();
const std::string base = (data_folder / "fixtures" / "mha_base.json").string();

Written scaled(const std::string& power) {
  return {{{{"1" + power, "5" + power}, {"-2" + power, "1" + power}},
           {{"0", "1" + power}, {"3" + power, "0"}}},
          {1, -1},
          {{{"1", "-1/2"}, {"2", "1/5"}}},
          {{{"1", "-1/2"}, {"0", "3/2"}}}};
}

}  // namespace

TEST_CASE("a budget that ends first: code 2, and what is known is printed") {
  const Outcome text = heedcert({"verify", "--max-bits", "64", saturated});
  CHECK(text.exit == 2);
  CHECK(text.out.rfind("undecided: ", 0) == 0);
  CHECK(holds(text.out, "proved"));
  CHECK(holds(text.out, "64 bits"));
  CHECK(holds(text.out, "--max-bits"));
  const Json j = heedcert_json({"verify", "--max-bits", "64", saturated}, 2);
  CHECK(j["status"] == "undecided");
  CHECK_FALSE(j["notes"].empty());
  std::size_t proved = 0, undecided = 0;
  for (const Json& c : j["claims"]) {
    proved += c["verdict"] == "proved" ? 1 : 0;
    undecided += c["verdict"] == "undecided" ? 1 : 0;
    CHECK(c["verdict"] != "refuted");
  }
  CHECK(proved > 0);
  CHECK(undecided > 0);
}

TEST_CASE("few digits come from doubles alone; --balls-only does without them") {
  const Json fast = heedcert_json({"verify", "--digits", "6", base});
  CHECK(fast["settings"]["double_tier"] == true);
  for (const Json& c : fast["claims"]) CHECK(c["bits"] == 53);
  const Json balls = heedcert_json({"verify", "--digits", "6", "--balls-only", base});
  CHECK(balls["settings"]["double_tier"] == false);
  for (const Json& c : balls["claims"]) CHECK(c["bits"] >= 128);
  const Json sharp = heedcert_json({"curvature", "--digits", "30", base})["quantities"];
  const Json j = heedcert_json({"curvature", "--digits", "6", "--full", base});
  CHECK(j["bits"] == 53);
  for (const char* key : {"loss", "gradient_norm", "lambda_min", "lambda_max", "kappa_hat"}) {
    INFO(key);
    CHECK(enclosure_of(j["quantities"][key]).meets(enclosure_of(sharp[key])));
    CHECK(narrow(enclosure_of(j["quantities"][key]), 6));
  }
  CHECK(j["quantities"]["gradient"].size() == 20);
}

TEST_CASE("digits that cannot be reached: code 2, and the enclosures still hold") {
  for (const std::string command : {"verify", "curvature"}) {
    const Outcome text = heedcert({command, "--digits", "30", "--max-bits", "128", base});
    INFO(text.out);
    CHECK(text.exit == 2);
    CHECK(holds(text.out, "note: the budget ended"));
  }
  const Json sharp = heedcert_json({"curvature", "--digits", "50", base})["quantities"];
  const Json j = heedcert_json({"curvature", "--digits", "30", "--max-bits", "128", base}, 2);
  CHECK(j["status"] == "undecided");
  CHECK_FALSE(j["notes"].empty());
  for (const char* key : {"loss", "gradient_norm", "lambda_min", "lambda_max"}) {
    INFO(key);
    CHECK(enclosure_of(j["quantities"][key]).meets(enclosure_of(sharp[key])));
  }
}

TEST_CASE("the first line, the status and the exit code say the same") {
  for (const char* bits : {"64", "128", "8192"})
    for (const std::string& file : {base, saturated}) {
      const Outcome text = heedcert({"verify", "--max-bits", bits, file});
      INFO(bits << " bits: " << lines_of(text.out).at(0));
      const Json j = heedcert_json({"verify", "--max-bits", bits, file}, text.exit);
      const std::string status = j["status"];
      CHECK(text.out.rfind(status + ": ", 0) == 0);
      CHECK(status == (text.exit == 0 ? "proved" : "undecided"));
    }
}

TEST_CASE("any number of digits, each certain, each contained in the shorter one") {
  const Json few = heedcert_json({"curvature", "--digits", "15", base})["quantities"];
  const Json more = heedcert_json({"curvature", "--digits", "200", base})["quantities"];
  const Json most = heedcert_json({"curvature", "--digits", "400", base})["quantities"];
  for (const char* key : {"loss", "G", "gradient_norm", "lambda_min", "lambda_max", "kappa_hat"}) {
    INFO(key);
    const Enclosure a = enclosure_of(few[key]), b = enclosure_of(more[key]);
    CHECK(a.lo <= b.lo);
    CHECK(b.hi <= a.hi);
    CHECK(b.meets(enclosure_of(most[key])));
    CHECK(narrow(b, 200));
    CHECK(narrow(enclosure_of(most[key]), 400));
  }
}

TEST_CASE("huge and tiny numbers are handled or given up in words, never by a crash") {
  const auto check = [](const Written& w, const std::string& what) {
    for (const std::string command : {"verify", "curvature"})
      for (const std::string bits : {"1024", "8192"}) {
        const Outcome o = heedcert({command, "--json", "--max-bits", bits, "-"}, w.text());
        INFO(command << " with " << what << ", " << bits << " bits: " << o.err);
        CHECK((o.exit == 0 || o.exit == 2));
        CHECK(o.err.empty());
        CHECK_FALSE(holds(o.out, "\"refuted\""));
        CHECK_FALSE(holds(o.out, "inconsistent"));
        CHECK_FALSE(holds(o.out, "@"));  // MPFR's own spelling of infinity
      }
  };
  for (const std::string power : {"e300", "e-300", "e30", "e-30", "e5000", "e-5000"}) {
    check(scaled(power), "tokens of size 1" + power);
    Written w = small_instance();
    w.U[0][0][0] = w.W[0][1][1] = "1" + power;
    check(w, "weights of size 1" + power);
  }
  Written w = scaled("e5000");
  w.X[1][0] = {"-1e5000", "1e5000"};
  check(w, "opposite tokens of size 1e5000");
  const Outcome text = heedcert({"curvature", "--max-bits", "1024", "-"}, w.text());
  CHECK_FALSE(holds(text.out, "not finite  (contains 0)"));
}

TEST_CASE("very high precision ends in a result") {
  const std::string tight = (data_folder / "fixtures" / "mha_tight_third.json").string();
  const Outcome o = heedcert({"verify", "--digits", "2000", "--max-bits", "200000", tight});
  INFO(o.err);
  CHECK(o.exit == 0);
  CHECK(o.err.empty());
}

TEST_CASE("a time limit ends the escalation, not the report") {
  const Outcome o = heedcert({"verify", "--timeout", "0.000001", "--digits", "15", saturated});
  CHECK((o.exit == 0 || o.exit == 2));
  CHECK(holds(o.out, saturated));
}
