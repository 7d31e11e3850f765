// SPDX-License-Identifier: Apache-2.0
// Tampers with good certificates in every way that is known to have deceived a checker, and fails
// unless heedcheck refuses what it must refuse.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "mutant.hpp"
#include "words.hpp"

namespace {

using tamper::Json;
using tamper::Must;

// Whether two certificates speak about the same data, and what they claim can be true together.
bool agree(const Json& a, const Json& b) {
  if (tamper::is_landscape(a)) return tamper::landscapes_agree(a, b);
  for (const auto& [name, value] : a.items()) {
    const bool proof = name == "lambda" || name == "mu" || name == "primal" || name == "info";
    if (!proof && name != "claim" && (!b.contains(name) || b.at(name) != value)) return false;
  }
  if (!a.contains("claim")) return !b.contains("claim");
  return tamper::fraction_of(a.at("claim").at("lo")) <=
             tamper::fraction_of(b.at("claim").at("hi")) &&
         tamper::fraction_of(b.at("claim").at("lo")) <= tamper::fraction_of(a.at("claim").at("hi"));
}

// Whether the bounds of the loss that were derived for two points overlap.
bool losses_meet(const heedcheck::Verdict& a, const heedcheck::Verdict& b) {
  const auto& x = a.quantities.at(0);
  const auto& y = b.quantities.at(0);
  if (x.name != "loss" || y.name != "loss") return false;
  const auto value = [](const heedcheck::Fraction& f) { return mpq_class(f.num, f.den); };
  return value(*x.lo) <= value(*y.hi) && value(*y.lo) <= value(*x.hi);
}

class Tester {
 public:
  void file(const std::string& name) {
    std::ifstream in(name);
    std::ostringstream read;
    read << in.rdbuf();
    name_ = name.substr(name.rfind('/') + 1);
    const heedcheck::Answer answer = heedcheck::answer_to(name, read.str(), {});
    if (answer.exit != heedcheck::valid) {
      fail("the good certificate is refused", answer.reason);
      return;
    }
    good_ = Json::parse(read.str());
    verdict_ = answer.verdict;
    if (tamper::rehashed(good_) != good_) fail("its hash is not that of the page", "");
    expectations();
    const std::size_t before = mutants_;
    const auto sink = [this](const std::string& title, const std::string& text, Must must) {
      mutant(title, text, must);
    };
    for (const auto mutate :
         {tamper::mutate_numbers, tamper::mutate_structure, tamper::mutate_bytes}) {
      mutate(good_, sink);
    }
    if (tamper::is_landscape(good_)) {
      for (const auto mutate : {tamper::mutate_landscape_fields, tamper::mutate_landscape_data,
                                tamper::mutate_landscape_point, tamper::mutate_landscape_gauge,
                                tamper::mutate_landscape_directions, tamper::mutate_landscape_trap,
                                tamper::mutate_landscape_ball, tamper::mutate_landscape_theorem}) {
        mutate(good_, sink);
      }
    } else {
      for (const auto mutate : {tamper::mutate_fields, tamper::mutate_kinds, tamper::mutate_data,
                                tamper::mutate_claims, tamper::mutate_proof}) {
        mutate(good_, sink);
      }
    }
    std::cout << name_ << ": " << mutants_ - before << " mutants\n";
  }

  int finish(std::size_t at_least) {
    std::cout << mutants_ << " mutants:";
    for (const auto& [what, count] : counts_) std::cout << " " << count << " " << what << ";";
    std::cout << " " << failures_ << " failures\n";
    if (mutants_ < at_least) fail("too few mutants", "expected " + std::to_string(at_least));
    return failures_ == 0 ? 0 : 1;
  }

 private:
  void fail(const std::string& what, const std::string& why) {
    ++failures_;
    std::cout << "FAILURE " << name_ << ": " << what << (why.empty() ? "" : ": " + why) << "\n";
  }

  heedcheck::Answer ask(const std::string& title, const std::string& text,
                        const heedcheck::Expected& expected) {
    try {
      return heedcheck::answer_to(name_, text, expected);
    } catch (const std::exception& e) {
      fail("an exception that is not the checker's own, " + title, e.what());
      return {name_, heedcheck::invalid, "", {}};
    }
  }

  // What a caller may expect, and what `info` may hold.
  void expectations() {
    const std::string text = good_.dump(), sha256 = good_.at("sha256");
    const std::string problem = tamper::problem_of(good_);
    const auto valid = [&](const std::string& t, const heedcheck::Expected& expected) {
      return ask("expectation", t, expected).exit == heedcheck::valid;
    };
    if (!valid(text, {sha256, problem})) fail("refused as expected", "");
    std::string other = sha256;
    other[63] = other[63] == '0' ? '1' : '0';
    if (valid(text, {other, ""})) fail("valid against another hash", "");
    if (valid(text, {"", problem == "nuc" ? "fro" : "nuc"}))
      fail("valid against another problem", "");
    const Json info = {{"seed", 1}, {"time", 0.5}, {"any", {nullptr, "\n", Json::object()}}};
    if (!valid(tamper::with(good_, "/info", info).dump(), {sha256, problem})) {
      fail("info is not ignored", "");
    }
  }

  void mutant(const std::string& title, const std::string& text, Must must) {
    const Json parsed = Json::parse(text, nullptr, false);
    if (!parsed.is_discarded() && parsed == good_ && must != Must::malformed) return;
    ++mutants_;
    const heedcheck::Answer answer = ask(title, text, {});
    if (answer.exit != heedcheck::valid) {
      const bool malformed = answer.reason.compare(0, 11, "malformed: ") == 0;
      const bool unreadable = answer.exit == heedcheck::unreadable;
      ++counts_[unreadable ? "unreadable" : malformed ? "malformed" : "not proved"];
      if (must == Must::malformed && !malformed && !unreadable) {
        fail("refused, but not as malformed, " + title, answer.reason);
      }
      return;
    }
    const std::string sha256 = good_.at("sha256"), problem = tamper::problem_of(good_);
    const auto fails_for = [&](const heedcheck::Expected& expected) {
      return ask(title, text, expected).exit == heedcheck::invalid;
    };
    bool justified = false;
    if (must == Must::other_data) {
      justified = fails_for({sha256, ""});
      ++counts_["true of other data, refused against the caller's hash"];
    } else if (must == Must::other_norm) {
      justified = fails_for({"", problem});
      ++counts_["true of the other problem, refused against the caller's"];
    } else if (must == Must::same_statement) {
      justified = agree(good_, parsed);
      const bool image = !justified && tamper::is_landscape(good_) &&
                         tamper::is_image_of_point(good_, parsed) &&
                         losses_meet(verdict_, answer.verdict);
      justified = justified || image;
      ++counts_[image ? "true of an image of the point, of the same loss"
                      : "another proof of the same statement"];
    }
    if (!justified) fail("valid, " + title, text.size() < 3000 ? text : "");
  }

  std::string name_;
  Json good_;
  heedcheck::Verdict verdict_;  // of the good one
  std::size_t mutants_ = 0, failures_ = 0;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: heedcheck_tamper LEAST-NUMBER-OF-MUTANTS GOOD-CERTIFICATE...\n";
    return 64;
  }
  Tester tester;
  for (int k = 2; k < argc; ++k) tester.file(argv[k]);
  return tester.finish(std::strtoul(argv[1], nullptr, 10));
}
