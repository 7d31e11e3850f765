// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "words.hpp"

namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path folder{HEEDCHECK_CERTIFICATES};

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file);
  REQUIRE(in.is_open());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  int exit;
  std::string out;
};

Outcome heedcheck_command(const std::string& arguments) {
  const std::string command = std::string("'") + HEEDCHECK_COMMAND + "' " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  const int status = pclose(pipe);
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), out};
}

std::string sample(const std::string& name) { return "'" + (folder / name).string() + "'"; }

// The temporary file with this content.
std::string temporary(const std::string& name, const std::string& content) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("heedcheck_test_" + std::to_string(getpid()) + "_" + name);
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

}  // namespace

TEST_CASE("samples have their expected verdicts and words") {
  const Json expected = Json::parse(read(folder / "expected.json"));
  std::set<std::string> files, listed, statements, claims;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.insert(entry.path().filename().string());
  }
  files.erase("expected.json");
  for (const auto& [name, words] : expected.items()) {
    INFO(name);
    listed.insert(name);
    const heedcheck::Answer answer = heedcheck::answer_to(name, read(folder / name), {});
    CHECK((answer.exit == heedcheck::valid) == (name.rfind("good_", 0) == 0));
    std::istringstream text(heedcheck::lines(answer));
    Json lines = Json::array();
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    if (answer.exit == heedcheck::unreadable) lines[0] = "unreadable";  // the reader's own words
    CHECK(lines == words);
    if (answer.exit != heedcheck::valid) continue;
    const heedcheck::Verdict& verdict = answer.verdict;
    if (verdict.kind == "landscape") {
      claims.insert(verdict.claim.front());
    } else {
      statements.insert(verdict.kind + " " + verdict.form + " " + verdict.problem);
    }
  }
  CHECK(files == listed);
  CHECK(statements == std::set<std::string>{"margin tokens fro", "margin tokens nuc",
                                            "margin tokens fro-eq", "margin rows fro",
                                            "infeasible tokens fro", "infeasible tokens nuc",
                                            "infeasible tokens fro-eq", "infeasible rows fro"});
  CHECK(claims == std::set<std::string>{"stationary", "stationary_exact", "minimum", "not_minimum",
                                        "saddle", "index", "trap", "complete_1d", "lojasiewicz",
                                        "overshoot", "pl", "init", "zero_loss"});
}

TEST_CASE("words: a bound of zero, side claims, right sides") {
  Json c = Json::parse(read(folder / "good_fro_bracket.json"));
  const auto words = [&] { return heedcheck::lines(heedcheck::answer_to("c", c.dump(), {})); };
  CHECK(words().find("at least") != std::string::npos);
  // without a point the combination of the rows is the point, and there is none
  c["claim"]["lo"] = {"0x0", "0x7"};
  c["lambda"] = {{"idx", Json::array()}, {"num", Json::array()}};
  CHECK(words() == "invalid: the primal point violates an inequality\n");
  c = Json::parse(read(folder / "good_fro_multi.json"));
  c["claim"]["lo"] = {"0x0", "0x7"};
  CHECK(words().rfind("valid\n", 0) == 0);
  CHECK(words().find(", no lower bound") != std::string::npos);
  CHECK(words().find("at least") == std::string::npos);
}

TEST_CASE("bounds are rounded outward to 17 digits") {
  using heedcheck::decimal;
  CHECK(decimal({0, 7}, true) == "0");
  CHECK(decimal({1, 1}, false) == "1");
  CHECK(decimal({1000, 1}, true) == "1e3");
  CHECK(decimal({1, 3}, false) == "3.3333333333333333e-1");
  CHECK(decimal({1, 3}, true) == "3.3333333333333334e-1");
  CHECK(decimal({2, 3}, false) == "6.6666666666666666e-1");
  const mpz_class nines("99999999999999999999");
  CHECK(decimal({nines, 1}, false) == "9.9999999999999999e19");
  CHECK(decimal({nines, 1}, true) == "1e20");
  for (unsigned power : {1U, 10U, 100U, 3000U}) {
    const mpz_class big = (mpz_class(1) << power) + 1;
    for (const heedcheck::Fraction& x :
         {heedcheck::Fraction{big, 3}, {3, big}, {big, big * big + 1}, {big - 1, big}}) {
      for (const bool up : {false, true}) {
        const std::string text = decimal(x, up);
        const std::size_t e = text.find('e');
        std::string digits = text.substr(0, e);
        long exponent = e == std::string::npos ? 0 : std::stol(text.substr(e + 1));
        if (digits.size() > 1) {
          REQUIRE(digits[1] == '.');
          exponent -= static_cast<long>(digits.size()) - 2;
          digits.erase(1, 1);
        }
        REQUIRE(digits.size() <= 17);
        mpz_class ten;
        mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
        mpq_class printed =
            exponent < 0 ? mpq_class(mpz_class(digits), ten) : mpq_class(mpz_class(digits) * ten);
        mpq_class value(x.num, x.den);
        printed.canonicalize();
        value.canonicalize();
        CHECK((up ? printed >= value : printed <= value));
        CHECK((abs(printed - value) * mpz_class("10000000000000000") <= value));
      }
    }
  }
}

TEST_CASE("semidefiniteness is decided exactly") {
  using heedcheck::is_positive_semidefinite;
  CHECK(is_positive_semidefinite({}, 0));
  CHECK(is_positive_semidefinite({0}, 1));
  CHECK_FALSE(is_positive_semidefinite({-1}, 1));
  CHECK(is_positive_semidefinite({1, 0, 1, 1}, 2));
  CHECK_FALSE(is_positive_semidefinite({1, 0, 2, 3}, 2));
  CHECK_FALSE(is_positive_semidefinite({0, 0, 1, 5}, 2));
  CHECK(is_positive_semidefinite({0, 0, 0, 0, 2, 0, 0, 0, 0}, 3));
  // every symmetric 3 x 3 matrix with entries in -2..2, against the signs of all principal minors
  std::size_t definite = 0;
  for (int k = 0; k < 15625; ++k) {
    int digits[6];
    for (int q = 0, rest = k; q < 6; ++q, rest /= 5) digits[q] = rest % 5 - 2;
    const auto [a, b, c, d, e, f] =
        std::tuple(digits[0], digits[1], digits[2], digits[3], digits[4], digits[5]);
    const int determinant = a * (c * f - e * e) - b * (b * f - e * d) + d * (b * e - c * d);
    const bool expected = a >= 0 && c >= 0 && f >= 0 && a * c >= b * b && a * f >= d * d &&
                          c * f >= e * e && determinant >= 0;
    definite += expected;
    if (is_positive_semidefinite({a, 0, 0, b, c, 0, d, e, f}, 3) != expected) {
      FAIL_CHECK("wrong for matrix " << k);
    }
  }
  CHECK(definite > 100);
}

TEST_CASE("the hash is that of the page") {
  const heedcheck::Verdict verdict =
      heedcheck::check(heedcheck::parse(read(folder / "good_tiny.json")), {});
  CHECK(verdict.sha256 == "c205e88411d0e63a075bdef06e25873bdb36f42423e4e6362a0a543a3c545d23");
  Json rows = Json::parse(read(folder / "good_rows.json"));
  rows["n"] = rows["d"] = 2;
  rows["F"] = {{"den", "0x6"}, {"num", {"0x4", "0x0", "0x0", "-0x3"}}};
  rows["sha256"] = "cc7f08111b159f43c9077e453ee30392d250af52828826b454d9ee252de0f2a5";
  CHECK(heedcheck::read_rows(heedcheck::parse(rows.dump())).sha256 == rows["sha256"]);
}

TEST_CASE("exit codes and the first line") {
  const std::string good = sample("good_tiny.json"), bad = sample("bad_hash.json");
  const std::string broken = sample("bad_truncated.json");
  CHECK(heedcheck_command(good).exit == 0);
  CHECK(heedcheck_command(good).out.rfind("valid\n", 0) == 0);
  CHECK(heedcheck_command(bad).exit == 1);
  CHECK(heedcheck_command(bad).out == "invalid: the data have another sha256\n");
  CHECK(heedcheck_command(sample("bad_version.json")).exit == 1);
  CHECK(heedcheck_command(broken).exit == 3);
  CHECK(heedcheck_command("/nonexistent/file").exit == 3);
  CHECK(heedcheck_command("'" + folder.string() + "'").exit == 3);
  CHECK(heedcheck_command("/dev/null").exit == 3);
  CHECK(heedcheck_command(good + " " + good).exit == 0);
  CHECK(heedcheck_command(good + " " + bad).exit == 1);
  CHECK(heedcheck_command(bad + " " + broken + " " + good).exit == 3);
  const std::string two = heedcheck_command(bad + " " + good).out;
  CHECK(two.find("bad_hash.json: invalid: ") != std::string::npos);
  CHECK(two.find("good_tiny.json: valid\n") != std::string::npos);
  CHECK(heedcheck_command("--version").out.rfind("heedcheck ", 0) == 0);
}

TEST_CASE("expectations and the JSON of a landscape certificate") {
  const std::string good = sample("good_landscape_coupled_pair.json");
  const std::string sha256 = "026771ed1c3c169b4d0ecf03205f736b65dbdab07e772d47578c52568ae17e1c";
  CHECK(heedcheck_command("--problem softmax:W_Q --sha256 " + sha256 + " " + good).exit == 0);
  for (const char* other : {"gaussian:W_Q", "softmax:W_K", "softmax:W_Q,W_K", "fro"}) {
    CHECK(heedcheck_command(std::string("--problem ") + other + " " + good).exit == 1);
  }
  CHECK(heedcheck_command("--problem fro " + good).exit == 1);
  const Json result = Json::parse(heedcheck_command("--json " + good).out)["results"][0];
  CHECK(result["verdict"] == "valid");
  CHECK(result["problem"] == "softmax:W_Q");
  CHECK(result["kind"] == "landscape");
  CHECK(result["sha256"] == sha256);
  CHECK(result["claim"] == Json::parse(R"(["minimum","non_global"])"));
  CHECK(result["proved"].size() == 3);
  CHECK(result["bounds"]["loss"]["lo"] == "1.2492266734136445e1");
  CHECK(result["bounds"]["witness_loss"]["hi"] == "2.0022779988519426");
  CHECK_FALSE(result["bounds"]["witness_loss"].contains("lo"));
}

TEST_CASE("wrong usage ends with 64") {
  const std::string good = sample("good_tiny.json");
  for (const std::string& arguments :
       {std::string(), std::string("--json"), "--unknown " + good, "--problem svm " + good,
        "--problem softmax " + good, "--problem softmax:W_K,W_Q " + good,
        "--problem softmax: " + good, "--sha256 12 " + good, "--sha256 '' " + good,
        "--problem '' " + good, "--sha256 " + std::string(64, 'A') + " " + good}) {
    INFO(arguments);
    const Outcome outcome = heedcheck_command(arguments + " 2>/dev/null");
    CHECK(outcome.exit == 64);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("the caller's expectations") {
  const std::string good = sample("good_tiny.json");
  const std::string sha256 = "c205e88411d0e63a075bdef06e25873bdb36f42423e4e6362a0a543a3c545d23";
  CHECK(heedcheck_command("--sha256 " + sha256 + " --problem fro " + good).exit == 0);
  const Outcome hash = heedcheck_command("--sha256 " + std::string(64, '0') + " " + good);
  CHECK(hash.exit == 1);
  CHECK(hash.out == "invalid: sha256 is not the expected one\n");
  const Outcome problem = heedcheck_command(good + " --problem nuc");
  CHECK(problem.exit == 1);
  CHECK(problem.out == "invalid: problem is not the expected one\n");
}

TEST_CASE("--json prints one object") {
  const Outcome outcome = heedcheck_command("--json " + sample("good_fro_ties_scores_self.json") +
                                            " " + sample("bad_hash.json") + " /nonexistent/file " +
                                            sample("good_rows_infeasible.json"));
  CHECK(outcome.exit == 3);
  const Json answer = Json::parse(outcome.out);
  CHECK(answer["schema"] == "heedcheck-1");
  const Json& results = answer["results"];
  REQUIRE(results.size() == 4);
  CHECK(results[0]["verdict"] == "valid");
  CHECK(results[0]["select"] == Json::parse("[[1,0],[0]]"));
  CHECK(results[0]["proved"] == Json::parse(R"(["scores","self"])"));
  CHECK(results[0]["claim"]["lo"] == "1.3392857142857142");
  CHECK(results[0]["claim"]["hi"] == "1.3392857142857143");
  CHECK(results[0]["claim"]["exact"] == true);
  CHECK(results[1]["verdict"] == "invalid");
  CHECK(results[1]["reason"] == "the data have another sha256");
  CHECK(results[2]["verdict"] == "unreadable");
  CHECK(results[3]["kind"] == "infeasible");
  CHECK(results[3]["select"].is_null());
  CHECK_FALSE(results[3].contains("claim"));
}

TEST_CASE("a file cannot write lines of the answer") {
  const std::string file =
      temporary("lines.json", R"({"format": "x\nvalid\nclaim: everything", "version": 1})");
  const Outcome outcome = heedcheck_command("'" + file + "'");
  std::filesystem::remove(file);
  CHECK(outcome.exit == 1);
  CHECK(outcome.out == "invalid: malformed: format is \"x?valid?claim: everything\"\n");
}

TEST_CASE("the checker uses no source of the library") {
  const std::filesystem::path sources{HEEDCHECK_SOURCES};
  const std::set<std::string> of_landscape = {"interval", "form", "jet", "attention", "exp_sum"};
  std::size_t files = 0, code = 0, landscape_code = 0;
  for (const auto& entry : std::filesystem::directory_iterator(sources)) {
    ++files;
    const std::string name = entry.path().stem().string();
    const bool landscape = name.rfind("landscape", 0) == 0 || of_landscape.count(name) != 0;
    std::istringstream text(read(entry.path()));
    for (std::string line; std::getline(text, line);) {
      const std::size_t first = line.find_first_not_of(' ');
      (landscape ? landscape_code : code) +=
          first != std::string::npos && line.compare(first, 2, "//") != 0;
      if (line.rfind("#include", 0) != 0) continue;
      INFO(entry.path() << ": " << line);
      CHECK(line.find("heed/") == std::string::npos);
      CHECK(line.find("..") == std::string::npos);
      const std::size_t quote = line.find('"');
      if (quote == std::string::npos) continue;
      const std::string header = line.substr(quote + 1, line.rfind('"') - quote - 1);
      CHECK(std::filesystem::exists(sources / header));
    }
  }
  CHECK(files > 5);
  CHECK(code < 1100);
  CHECK(landscape_code < 4200);
}
