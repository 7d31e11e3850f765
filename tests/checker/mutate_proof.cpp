// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

bool is_zero(const Json& list) {
  return std::all_of(list.begin(), list.end(), [](const Json& x) { return x == "0x0"; });
}

mpz_class moved(const mpz_class& x) { return x + (abs(x) >> 20) + 1; }

// How many multipliers are not zero; one alone may have any positive value.
std::size_t weights(const Json& c) {
  std::size_t count = 0;
  for (const char* name : {"/lambda/num", "/mu/num"}) {
    if (!c.contains(Path(name))) continue;
    for (const Json& x : c.at(Path(name))) count += x != "0x0";
  }
  return count;
}

void change_multipliers(const Json& c, const std::string& name, const Sink& sink) {
  if (!c.contains(name)) return;
  const Json& num = c.at(name).at("num");
  const Json& idx = c.at(name).at("idx");
  const bool lambda = name == "lambda";
  const auto emit = [&](const std::string& what, const Json& changed, Must must) {
    sink(name + " " + what, with(c, "/" + name, changed).dump(), must);
  };
  const auto malformed = [&](const std::string& what, const Json& changed) {
    emit(what, changed, Must::malformed);
  };
  const Json& old = c.at(name);
  Json longer = old;
  longer["num"].push_back("0x1");
  malformed("one number more", longer);
  longer = old;
  longer["idx"].push_back(0);
  malformed("one index more", longer);
  malformed("a list", num);
  malformed("idx an integer", with(old, "/idx", 0));
  malformed("num a string", with(old, "/num", "0x1"));
  malformed("an array of the format", {{"den", "0x1"}, {"num", num}});
  if (num.empty()) return;
  // lo = 0 needs no multipliers, and then any do
  const bool needed = !c.contains("claim") || c.at("claim").at("lo")[0] != "0x0";
  const Must wrong = needed ? Must::invalid : Must::same_statement;
  for (std::size_t q = 0; q < num.size() && q < 16; ++q) {
    const std::string at = "/num/" + std::to_string(q);
    const mpz_class value = number(num[q]);
    if (value == 0) continue;
    const Json negated = with(old, at, hexadecimal(-value));
    if (lambda) {
      malformed("negated", negated);
    } else if (weights(c) > 1) {
      emit("negated", negated, wrong);
    }
    if (weights(c) > 1) {
      emit("times 1 + 2^-20", with(old, at, hexadecimal(moved(value))), wrong);
      emit("times 1 - 2^-20", with(old, at, hexadecimal(-moved(-value))), wrong);
      emit("one zero", with(old, at, "0x0"), wrong);
    }
    const bool exact = !c.contains("claim") || c.at("claim").at("lo") == c.at("claim").at("hi");
    if (weights(c) > 1 && exact) {
      emit("plus 1", with(old, at, hexadecimal(value + 1)), wrong);
      emit("minus 1", with(old, at, hexadecimal(value - 1)), wrong);
    }
    for (const Json& index : {Json(-1), Json(1000000000), Json(true), Json(0.5), Json("0x0"),
                              Json(nullptr), Json(INT64_MAX), Json(-INT64_MAX)}) {
      malformed("index " + index.dump(), with(old, "/idx/" + std::to_string(q), index));
    }
    malformed("index 2^32 beyond",
              with(old, "/idx/" + std::to_string(q), 4294967296 + idx[q].get<int>()));
  }
  Json repeated = old;
  repeated["idx"].push_back(idx[0]);
  repeated["num"].push_back("0x0");
  malformed("index repeated", repeated);
  Json turned = old;
  std::reverse(turned["num"].begin(), turned["num"].end());
  if (turned != old) emit("reversed", turned, wrong);
  emit("none", {{"idx", Json::array()}, {"num", Json::array()}},
       lambda || c.at("problem") == "fro-eq" || c.at("kind") == "infeasible" ? wrong
                                                                             : Must::invalid);
  emit("all zero", with(old, "/num", std::vector<Json>(num.size(), "0x0")), wrong);
}

void change_bounds(const Json& c, const Sink& sink) {
  if (c.at("kind") != "margin") return;
  const Json& lo = c.at("claim").at("lo");
  const Json& hi = c.at("claim").at("hi");
  const auto emit = [&](const std::string& what, const Json& low, const Json& high, Must must) {
    sink("claim: " + what, with(c, "/claim", {{"lo", low}, {"hi", high}}).dump(), must);
  };
  // x (1 + sign 2^-bits), or sign 2^-bits for 0
  const auto scaled = [](const Json& x, int sign, unsigned bits) {
    const mpz_class num = number(x[0]), one = mpz_class(1) << bits;
    return Json{hexadecimal(num * one + sign * (num == 0 ? number(x[1]) : num)),
                hexadecimal(number(x[1]) * one)};
  };
  for (const unsigned bits : {1U, 10U, 30U, 60U}) {
    const std::string by = " by 2^-" + std::to_string(bits);
    emit("lo raised" + by, scaled(lo, 1, bits), hi, Must::invalid);
    emit("both raised" + by, scaled(hi, 1, bits), scaled(hi, 1, bits), Must::invalid);
    if (hi[0] == "0x0") continue;
    emit("hi lowered" + by, lo, scaled(hi, -1, bits), Must::invalid);
    emit("both lowered" + by, scaled(hi, -1, bits), scaled(hi, -1, bits), Must::invalid);
    emit("lo lowered" + by, scaled(lo, -1, bits), hi, Must::same_statement);
    emit("hi raised" + by, lo, scaled(hi, 1, bits), Must::same_statement);
  }
  if (hi[0] != "0x0") {
    emit("hi zero", lo, {"0x0", "0x1"}, Must::invalid);
    emit("both zero", {"0x0", "0x1"}, {"0x0", "0x1"}, Must::invalid);
    emit("lo inverted", {lo[1], lo[0]}, hi, Must::same_statement);
  }
  if (lo != hi) {
    emit("lo and hi swapped", hi, lo, Must::invalid);
    emit("lo := hi", hi, hi, Must::invalid);
    emit("hi := lo", lo, lo, Must::invalid);
  }
  const Json none = {{"idx", Json::array()}, {"num", Json::array()}};
  for (const Json& low : {lo, hi, Json{"0x1", "0xffffffffffffffffffff"}}) {
    Json bare = with(c, "/claim/lo", low);
    for (const char* name : {"lambda", "mu"}) {
      if (bare.contains(name)) bare[name] = none;
    }
    const bool zero = low[0] == "0x0";
    sink("no multipliers at all", bare.dump(), zero ? Must::same_statement : Must::invalid);
  }
}

void change_point(const Json& c, const Sink& sink) {
  if (!c.contains("primal")) return;
  const Json& primal = c.at("primal");
  for (const char* name : {"W", "w", "B", "C"}) {
    if (!primal.contains(name)) continue;
    const Json& list = primal.at(name);
    const std::string path = std::string("/primal/") + name;
    const auto emit = [&](const std::string& what, Json changed, Must must) {
      sink("primal " + std::string(name) + " " + what, with(c, path, std::move(changed)).dump(),
           must);
    };
    for (std::size_t q = 0; q < list.size() && q < 16; ++q) {
      const std::string at = "/" + std::to_string(q);
      const mpz_class value = number(list[q]);
      emit("entry up", with(list, at, hexadecimal(moved(value))), Must::invalid);
      emit("entry down", with(list, at, hexadecimal(-moved(-value))), Must::invalid);
      if (value == 0) continue;
      emit("entry negated", with(list, at, hexadecimal(-value)), Must::invalid);
      emit("entry zero", with(list, at, "0x0"), Must::invalid);
    }
    Json shorter = list, longer = list;
    shorter.erase(shorter.size() - 1);
    longer.push_back("0x0");
    emit("one short", shorter, Must::malformed);
    emit("one long", longer, Must::malformed);
    emit("a string", "0x0", Must::malformed);
    if (is_zero(list)) continue;
    emit("zero", std::vector<Json>(list.size(), "0x0"), Must::invalid);
    std::vector<mpz_class> negated;
    for (const Json& x : list) negated.push_back(-number(x));
    emit("negated", hexadecimal_list(negated), Must::invalid);
    emit("nested", Json::array({list}), Must::malformed);
  }
  if (primal.contains("r")) {
    const int r = primal.at("r"), d = c.at("d");
    // columns of zeros change nothing, but there are at most d columns
    Json padded = {{"r", d + 1}, {"B", Json::array()}, {"C", Json::array()}};
    for (const char* name : {"B", "C"}) {
      for (int row = 0; row < d; ++row) {
        for (int k = 0; k <= d; ++k) {
          padded[name].push_back(k < r ? primal.at(name)[std::size_t(row * r + k)] : "0x0");
        }
      }
    }
    sink("rank d + 1", with(c, "/primal", padded).dump(), Must::malformed);
    for (const Json& value :
         {Json(0), Json(true), Json(r + 1), Json(-1), Json(d + 1), Json(1e30), Json(double(r)),
          Json(std::to_string(r)), Json("0x1"), Json(nullptr), Json(4294967296 + r)}) {
      sink("rank " + value.dump(), with(c, "/primal/r", value).dump(), Must::malformed);
    }
  }
  if (primal.contains("den")) {
    const mpz_class den = number(primal.at("den"));
    const bool zero = is_zero(primal.at("W"));
    for (const mpz_class& value : {mpz_class(0), mpz_class(-den), mpz_class(-1)}) {
      sink("primal den not positive", with(c, "/primal/den", hexadecimal(value)).dump(),
           Must::malformed);
    }
    for (const mpz_class& value : {mpz_class(den + 1), mpz_class(2 * den), moved(den)}) {
      sink("primal den moved", with(c, "/primal/den", hexadecimal(value)).dump(),
           zero ? Must::same_statement : Must::invalid);
    }
  }
}

}  // namespace

void mutate_proof(const Json& good, const Sink& sink) {
  change_multipliers(good, "lambda", sink);
  change_multipliers(good, "mu", sink);
  change_bounds(good, sink);
  change_point(good, sink);
}

void mutate_bytes(const Json& good, const Sink& sink) {
  const std::string text = good.dump();
  const std::string replacements = "0123456789abcdefx-+.{}[],:\" \nE";
  std::size_t state = 1;  // a fixed sequence, the same on every machine
  const auto draw = [&](std::size_t end) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33) % end;
  };
  for (int k = 0; k < 400; ++k) {
    std::string changed = text;
    const std::size_t place = draw(text.size());
    const char c = replacements[draw(replacements.size())];
    switch (draw(4)) {
      case 0:
        changed[place] = c;
        break;
      case 1:
        changed.erase(place, 1);
        break;
      case 2:
        changed.insert(place, 1, c);
        break;
      default:
        std::swap(changed[place], changed[draw(text.size())]);
        break;
    }
    sink("a character", changed, Must::same_statement);
  }
}

}  // namespace tamper
