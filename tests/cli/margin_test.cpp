// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

/// 1 / v for a stored decimal of at least 48 digits.
Enclosure reciprocal(const std::string& stored) {
  const Rational v = Rational::parse(stored), slack = v * ten_to_minus(48);
  return {Rational(1) / (v + slack), Rational(1) / (v - slack)};
}

std::string margin_file(const std::string& fields) {
  return R"({"model": "attsvm", "X": [[["1/2"], [0]]], "Z": [[3]], "y": [1], "v": [1])" + fields +
         "}";
}

}  // namespace

TEST_CASE("margin: every reference file, Frobenius exactly and nuclear at 12 and 30 digits") {
  std::size_t exact = 0, nuclear = 0, infeasible = 0;
  for (const auto& path : fixture_files("attsvm")) {
    INFO(path.filename().string());
    const Json stored = Json::parse(bytes_of(path));
    const std::string file = path.string();
    if (stored.contains("feasible") && !stored["feasible"].get<bool>()) {
      const Json j = heedcert_json({"margin", file}, 1);
      CHECK(j["status"] == "infeasible");
      CHECK(j["quantities"]["infeasibility"]["rows"].size() >= 1);
      ++infeasible;
      continue;
    }
    for (const int digits : {12, 30}) {
      const Json j = heedcert_json({"margin", "--digits", std::to_string(digits), file});
      const Json& q = j["quantities"];
      CHECK(j["status"] == "ok");
      if (stored.contains("frobenius")) {
        const Rational norm2 = Rational::parse(stored["frobenius"]["norm2"].get<std::string>());
        const Json& squared = q["margin_frobenius_squared"];
        CHECK(Rational::parse(squared["exact"].get<std::string>()) == Rational(1) / norm2);
        ++exact;
      }
      const Enclosure margin = enclosure_of(q["margin_frobenius"]);
      CHECK(narrow(margin, digits));
      if (stored.contains("margin"))
        CHECK(margin.meets(reciprocal(stored["Wmm_norm"].get<std::string>())));
      const Enclosure n = enclosure_of(q["margin_nuclear"]);
      CHECK(narrow(n, digits));
      if (stored.contains("nuclear")) {
        CHECK(n.meets(reciprocal(stored["nuclear"]["value"].get<std::string>())));
        ++nuclear;
      }
      CHECK(n.lo <= margin.hi);  // Gamma_N <= Gamma_F
    }
  }
  CHECK(infeasible == 2);
  CHECK(exact == 2 * 13);
  CHECK(nuclear == 2 * 12);
}

TEST_CASE("margin: what certify writes, heedcheck calls valid, with the hash of the instance") {
  const TemporaryFolder folder;
  std::size_t checked = 0;
  for (const auto& path : fixture_files("attsvm")) {
    for (const std::string norm : {"fro", "nuc"}) {
      INFO(path.filename().string() << " " << norm);
      const std::string file = folder.path(path.stem().string() + norm);
      const Outcome written =
          heedcert({"certify", "margin", "--norm", norm, path.string(), "-o", file});
      INFO(written.out << written.err);
      const bool infeasible = holds(written.out, "no W meets the constraints");
      REQUIRE(written.exit == (infeasible ? 1 : 0));
      const auto hash = written.out.find("--sha256 ");
      REQUIRE(hash != std::string::npos);
      const std::string sha256 = written.out.substr(hash + 9, 64);
      const Outcome valid = heedcheck({"--sha256", sha256, "--problem", norm, file});
      INFO(valid.out << valid.err);
      CHECK(valid.exit == 0);
      CHECK(valid.out.rfind("valid\n", 0) == 0);
      CHECK(holds(valid.out, infeasible ? "infeasible" : "claim:"));
      CHECK(heedcheck({"--sha256", std::string(64, '0'), file}).exit == 1);
      ++checked;
    }
  }
  CHECK(checked == 34);
}

TEST_CASE("margin: a file of one constraint, in words") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", margin_file(""));
  const Outcome o = heedcert({"margin", file});
  CHECK(o.exit == 0);
  CHECK(o.out.rfind("margin_frobenius = 1.5\n", 0) == 0);
  CHECK(holds(o.out, "squared = 2.25   (exact)"));
  CHECK(holds(o.out, "margin_nuclear = 1.5"));
  CHECK(holds(o.out, "1 of 1 constraints"));
}

TEST_CASE("margin: the direction of a given W") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", margin_file(R"(, "W": [["7"]])"));
  const Json point = heedcert_json({"margin", file})["quantities"]["points"][0];
  for (const char* key : {"correlation", "rho_frobenius", "rho_nuclear"}) {
    INFO(key);
    const Enclosure one = enclosure_of(point[key]);
    CHECK(one.contains(Rational(1)));
    CHECK(narrow(one, 15));
  }
  CHECK(enclosure_of(point["mu"]).contains(Rational(21, 2)));
  CHECK(point["selected_tokens"] == Json::parse("[[0]]"));
  CHECK(point["locally_optimal"] == true);
  const std::string against = folder.write("b.json", margin_file(R"(, "W": [["-1"]])"));
  const Json wrong = heedcert_json({"margin", against})["quantities"]["points"][0];
  CHECK(enclosure_of(wrong["correlation"]).contains(Rational(-1)));
  CHECK(wrong["locally_optimal"] == false);
  const std::string zero = folder.write("c.json", margin_file(R"(, "W": [[0]])"));
  const Json none = heedcert_json({"margin", zero})["quantities"]["points"][0];
  CHECK(none["direction"].is_null());
  CHECK(none["selected_tokens"] == Json::parse("[[0, 1]]"));
}

TEST_CASE("margin: rows, ties, no constraints") {
  const TemporaryFolder folder;
  const std::string rows =
      folder.write("rows.json", R"({"model": "rows", "F": [[1, 0], [0, 2], [3, 3]]})");
  const Json r = heedcert_json({"margin", rows})["quantities"];
  CHECK(r["margin_frobenius_squared"]["exact"] == "4/5");
  CHECK(r["support_vectors"] == Json::parse("[0, 1]"));
  CHECK_FALSE(r.contains("margin_nuclear"));
  const std::string certificate = folder.path("rows.cert.json");
  CHECK(heedcert({"certify", "margin", rows, "-o", certificate}).exit == 0);
  CHECK(heedcheck({certificate}).exit == 0);
  CHECK(heedcert({"margin", "--norm", "nuc", rows}).exit == 3);

  const std::string tie = folder.write(
      "tie.json",
      R"({"model": "attsvm", "X": [[[1], [1], [0]]], "Z": [[1]], "y": [1], "selected": [0]})");
  const Outcome infeasible = heedcert({"margin", tie});
  CHECK(infeasible.exit == 1);
  CHECK(holds(infeasible.out, "tie: token 1 of input 0"));
  const std::string tied = folder.write(
      "tied.json",
      R"({"model": "attsvm", "X": [[[1], [1], [0]]], "Z": [[1]], "y": [1], "selected": [[0, 1]]})");
  CHECK(heedcert_json({"margin", tied})["quantities"]["margin_frobenius_squared"]["exact"] == "1");

  const std::string single =
      folder.write("one.json", R"({"model": "attsvm", "X": [[[1]]], "y": [1], "v": [1]})");
  const Outcome none = heedcert({"margin", single});
  CHECK(none.exit == 0);
  CHECK(holds(none.out, "no constraints"));
  CHECK(heedcert({"certify", "margin", single, "-o", folder.path("none")}).exit == 3);
}

TEST_CASE("margin: other models and names are refused with what to do") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", margin_file(""));
  const std::string existing = folder.write("exists.json", "mine");
  const Outcome kept = heedcert({"certify", "margin", file, "-o", existing});
  CHECK(kept.exit == 3);
  CHECK(bytes_of(existing) == "mine");
  CHECK(heedcert({"certify", "hessian", file, "-o", folder.path("x")}).exit == 64);
}

TEST_CASE("margin: NTK margins of the reference files are enclosed") {
  std::size_t compared = 0, separable = 0;
  for (const auto& path : fixture_files()) {
    INFO(path.filename().string());
    const Outcome o = heedcert({"margin", "--json", "--digits", "12", path.string()});
    INFO(o.err);
    REQUIRE((o.exit == 0 || o.exit == 1 || o.exit == 2));
    const Json q = parse_object(o)["quantities"];
    const Enclosure margin = enclosure_of(q["ntk_margin"]);
    CHECK(margin.lo.sign() >= 0);
    separable += q["separable"] == true ? 1 : 0;
    const Json stored = Json::parse(bytes_of(path))["results"]["ntk"];
    if (stored.is_null()) continue;
    // The stored bounds come from an approximate solver; ours are proved and narrower.
    CHECK(margin.lo <= Rational::parse(stored["gamma_upper"].get<std::string>()));
    CHECK(Rational::parse(stored["gamma_lower"].get<std::string>()) <= margin.hi);
    if (stored["separable"].get<bool>()) CHECK(q["separable"] == true);
    ++compared;
  }
  CHECK(compared >= 10);
  CHECK(separable >= 5);
}

TEST_CASE("margin --threshold: several tokens are selected, the generalised SVM is reported") {
  const TemporaryFolder folder;
  // Tokens 0 and 1 tie at W, token 2 is far behind.
  const std::string file = folder.write(
      "a.json",
      R"({"model": "attsvm", "X": [[[1, 0], [1, 1], [0, 0]]], "Z": [[1, 0]], "y": [1], "v": [1, 0],
          "selected": [0], "W": [[20, 1], ["1/4", 0]]})");
  const Json q = heedcert_json({"margin", "--full", "--threshold", "1/1000", file})["quantities"];
  CHECK(q["equalities"] == 1);
  const Json& point = q["points"][0];
  CHECK(point["selected_tokens"] == Json::parse("[[1]]"));
  for (const char* key : {"R", "fin_share", "correlation_prediction", "correlation_informative"}) {
    INFO(key);
    CHECK(narrow(enclosure_of(point[key]), 12));
  }
  CHECK(enclosure_of(point["R"]).contains(Rational(20)));
  // The gap is -1/4, of the row (0, -1) (1, 0)^T; W_dir is 1 at the first entry.
  CHECK(enclosure_of(point["W_fin_norm"]).contains(Rational(1, 4)));
  CHECK(enclosure_of(point["W_fin"][1][0]).contains(Rational(1, 4)));
  CHECK(enclosure_of(point["W_dir_norm"]).contains(Rational(1)));
  CHECK(enclosure_of(point["W_dir"][0][0]).contains(Rational(1)));
  CHECK(point["structure_lemma"] == "consistent");
  CHECK(heedcert({"margin", "--threshold", "2", file}).exit == 3);
  CHECK(heedcert({"margin", "--threshold", "x", file}).exit == 3);
}

TEST_CASE("certify: selected ties become equalities, and only a true claim about scores is made") {
  const TemporaryFolder folder;
  const std::string data =
      R"({"model": "attsvm", "X": [[[1, 0], [1, "1/3"], [0, 2]], [[2, 1], [0, 5]]],
          "Z": [[1, "1/7"], [3, 1]], "y": [1, 1], "selected": [[0, 1], 0], "v": )";
  const std::string best = folder.write("best.json", data + "[1, 0]}"),
                    other = folder.write("other.json", data + "[0, 1]}");
  for (const std::string norm : {"fro", "nuc"}) {
    const std::string best_file = folder.path("best." + norm), other_file = folder.path(norm);
    REQUIRE(heedcert({"certify", "margin", "--norm", norm, best, "-o", best_file}).exit == 0);
    REQUIRE(heedcert({"certify", "margin", "--norm", norm, other, "-o", other_file}).exit == 0);
    const Outcome claimed = heedcheck({best_file}), plain = heedcheck({other_file});
    CHECK(claimed.exit == 0);
    CHECK(holds(claimed.out, "exactly the maximisers"));
    CHECK(plain.exit == 0);
    CHECK(holds(plain.out, "optimality not claimed"));
  }
}

TEST_CASE("certify --norm fro-eq: the least matrix with given gaps, exactly") {
  const TemporaryFolder folder;
  const std::string data =
      R"({"model": "attsvm", "X": [[[1, 0], [1, "1/3"], [0, 2]], [[2, 1], [0, 5], ["1/7", 1]]],
          "Z": [[1, "1/7"], [3, 1]], "y": [1, 1], "v": [1, 0], "selected": )";
  const std::string file =
      folder.write("a.json", data + R"([[0, 1], [1, 2, 0]], "W": [["1/3", 2], [-5, "1e-20"]]})");
  const std::string out = folder.path("a.cert.json");
  const Outcome written = heedcert({"certify", "margin", "--norm", "fro-eq", file, "-o", out});
  INFO(written.out << written.err);
  REQUIRE(written.exit == 0);
  const std::string sha256 = written.out.substr(written.out.find("--sha256 ") + 9, 64);
  const Outcome valid = heedcheck({"--sha256", sha256, "--problem", "fro-eq", out});
  INFO(valid.out << valid.err);
  CHECK(valid.exit == 0);
  CHECK(valid.out.rfind("valid\n", 0) == 0);
  CHECK(holds(valid.out, "for the given right sides"));

  const Json certificate = Json::parse(bytes_of(out));
  CHECK(certificate["claim"]["lo"] == certificate["claim"]["hi"]);
  const auto verdict = [&](const std::function<void(Json&)>& change) {
    Json j = certificate;
    change(j);
    return heedcheck({folder.write("tampered.json", j.dump())}).exit;
  };
  CHECK(verdict([](Json&) {}) == 0);
  CHECK(verdict([](Json& j) { j["primal"]["W"][0] = "0x1"; }) == 1);
  CHECK(verdict([](Json& j) { j["rhs"]["num"][0] = "0x1"; }) == 1);
  CHECK(verdict([](Json& j) { j["mu"]["num"][1] = "0x1"; }) == 1);
  CHECK(verdict([](Json& j) { j["select"][0] = {1, 0}; }) == 1);
  CHECK(
      verdict([](Json& j) {  // a larger lower bound: one more in the numerator
        std::string digits = j["claim"]["lo"][0];
        digits.back() = digits.back() == 'f' ? 'e' : digits.back() == '9' ? 'a' : digits.back() + 1;
        j["claim"]["lo"][0] = digits;
      }) == 1);

  // No gap at all, and nothing to say.
  const std::string zero = folder.write("b.json", data + R"([[0, 1], 1], "W": [[0, 0], [0, 0]]})");
  REQUIRE(heedcert({"certify", "margin", "--norm", "fro-eq", zero, "-o", folder.path("b")}).exit ==
          0);
  CHECK(heedcheck({folder.path("b")}).exit == 0);
  const std::string single = folder.write("c.json", data + R"([0, 1], "W": [[0, 0], [0, 0]]})");
  CHECK(heedcert({"certify", "margin", "--norm", "fro-eq", single, "-o", folder.path("c")}).exit ==
        3);
  const std::string none = folder.write("d.json", data + "[[0, 1], 1]}");
  CHECK(heedcert({"certify", "margin", "--norm", "fro-eq", none, "-o", folder.path("d")}).exit ==
        3);
}

TEST_CASE("certify --threshold: the tokens selected at W") {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "a.json",
      R"({"model": "attsvm", "X": [[[1, 0], [1, 1], [0, 0]]], "Z": [[1, 0]], "y": [1], "v": [1, 0],
          "selected": [0], "W": [[20, 1], ["1/4", 0]]})");
  for (const std::string norm : {"fro", "nuc", "fro-eq"}) {
    INFO(norm);
    const std::string out = folder.path(norm);
    REQUIRE(heedcert({"certify", "margin", "--norm", norm, "--threshold", "1e-3", file, "-o", out})
                .exit == 0);
    CHECK(Json::parse(bytes_of(out))["select"] == Json::parse("[[1, 0]]"));
    CHECK(heedcheck({out}).exit == 0);
  }
}

TEST_CASE("margin: what a lambda head selects at its best") {
  const TemporaryFolder folder;
  const auto written = [&](const std::string& y, const std::string& lambda) {
    return folder.write(
        "a.json", R"({"model": "attsvm", "X": [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]], "Z": [[1, 1, 2]],
          "y": [)" + y +
                      R"(], "v": [3, "5/2", 0], "W": [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
          "selected": [0], "head": {"type": "lambda", "lambda": ")" +
                      lambda + "\"}}");
  };
  const auto point = [](const std::string& file) {
    return heedcert_json({"margin", file})["quantities"]["points"][0]["lambda_head"];
  };
  // tau = (3 + 5/2 - 2) / 2 = 7/4: the two largest scores above it, divided by 2 lambda = 2.
  const Json two = point(written("1", "1"));
  CHECK(two["support"] == Json::parse("[[0, 1]]"));
  CHECK(two["values"][0][0]["exact"] == "5/8");
  CHECK(two["values"][0][1]["exact"] == "3/8");
  CHECK(two["values"][0][2]["exact"] == "0");
  CHECK(two["sets_reachable"] == true);
  CHECK(two["gaps"] == "consistent");
  CHECK(holds(heedcert({"margin", written("1", "1")}).out, "selects tokens 0+1"));
  CHECK(point(written("1", "1/4"))["support"] == Json::parse("[[0]]"));
  CHECK(point(written("-1", "1"))["not_applicable"] == "a label is not 1");
}

TEST_CASE("convert --causal: the beginnings of every sequence, as written by hand") {
  const TemporaryFolder folder;
  const std::string rest = R"("v": [1, "1/3"], "W": [[1, 2], [0, 1]]})";
  const std::string sequences = folder.write(
      "a.json", R"({"model": "attsvm", "X": [[[1, 0], [2, 1], [0, 3]], [[1, 1], [0, "1/2"]]],
                    "Z": [[9, 9], [9, 9]], "y": [1, 1], )" +
                    rest);
  const std::string by_hand = folder.write(
      "b.json", R"({"model": "attsvm", "X": [[[1, 0]], [[1, 0], [2, 1]], [[1, 0], [2, 1], [0, 3]],
                    [[1, 1]], [[1, 1], [0, "1/2"]]],
                    "Z": [[1, 0], [2, 1], [0, 3], [1, 1], [0, "1/2"]], "y": [1, 1, 1, 1, 1], )" +
                    rest);
  const std::string converted = folder.path("c.json");
  const Outcome o = heedcert({"convert", sequences, "--causal", "-o", converted});
  INFO(o.err);
  REQUIRE(o.exit == 0);
  CHECK(holds(o.out, "n = 5, T = 3, d = 2"));
  const Json a = heedcert_json({"margin", converted}), b = heedcert_json({"margin", by_hand});
  CHECK(a["quantities"] == b["quantities"]);
  CHECK(a["quantities"]["constraints"] == 4);
  CHECK(a["quantities"]["points"].size() == 1);
  const std::string rows = folder.write("rows.json", R"({"model": "rows", "F": [[1]]})");
  CHECK(heedcert({"convert", rows, "--causal"}).exit == 3);
}
