// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

// The places of integer strings: of each list the first and the last.
std::vector<std::string> integer_paths(const Json& c) {
  std::vector<std::string> paths;
  const auto add_list = [&](const std::string& path) {
    const std::size_t size = c.at(Path(path)).size();
    if (size > 0) paths.push_back(path + "/0");
    if (size > 1) paths.push_back(path + "/" + std::to_string(size - 1));
  };
  for (const std::string& array : array_paths(c)) {
    paths.push_back(array + "/den");
    add_list(array + "/num");
  }
  for (const char* list :
       {"/lambda/num", "/mu/num", "/primal/W", "/primal/w", "/primal/B", "/primal/C", "/claim/lo",
        "/claim/hi", "/radius", "/trap/eta", "/trap/tolerance"}) {
    if (c.contains(Path(list))) add_list(list);
  }
  for (const char* fraction : {"/eta", "/mu", "/L"}) {
    if (c.contains(Path(fraction)) && c.at(Path(fraction)).is_array()) add_list(fraction);
  }
  if (c.contains(Path("/primal/den"))) paths.push_back("/primal/den");
  return paths;
}

std::string upper(std::string s) {
  std::transform(s.begin() + 2, s.end(), s.begin() + 2,
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return s;
}

// The number spelt in ways that some reader accepts, and things that are no integer string.
std::vector<std::pair<std::string, Json>> misspellings(const std::string& s) {
  const bool negative = s[0] == '-';
  const std::string sign = negative ? "-" : "", digits = s.substr(negative ? 3 : 2);
  std::string capital = sign + "0x" + upper("0x" + digits).substr(2);
  if (capital == s) capital = "0xA";
  return {{"no prefix", sign + digits},
          {"capital digit", capital},
          {"capital X", sign + "0X" + digits},
          {"plus", "+" + s},
          {"plus after prefix", "0x+" + digits},
          {"sign after prefix", "0x-" + digits},
          {"two signs", "--0x" + digits},
          {"sign alone", "-"},
          {"prefix alone", "0x"},
          {"signed prefix alone", "-0x"},
          {"blank before", " " + s},
          {"blank behind", s + " "},
          {"blank inside", sign + "0x " + digits},
          {"tab before", "\t" + s},
          {"line feed behind", s + "\n"},
          {"NUL behind", s + std::string(1, '\0')},
          {"underscore", sign + "0x_" + digits},
          {"underscore inside", s + "_0"},
          {"apostrophe inside", s + "'0"},
          {"leading zero", sign + "0x0" + digits},
          {"signed zero", "-0x0"},
          {"two zeros", "0x00"},
          {"zero without prefix", "0"},
          {"decimal point", s + ".0"},
          {"exponent", s + "p+0"},
          {"suffix", s + "h"},
          {"letter g", s + "g"},
          {"octal", sign + "0o1"},
          {"Arabic digit", s + "\u0661"},
          {"full-width digit", s + "\uff11"},
          {"infinity", "inf"},
          {"not a number", "nan"},
          {"empty", ""},
          {"JSON integer", 1},
          {"JSON float", 1.0},
          {"true", true},
          {"null", nullptr},
          {"list", Json::array({s})},
          {"object", Json{{"num", s}}}};
}

void mutate_array(const Json& c, const std::string& path, const Sink& sink) {
  const Json& array = c.at(Path(path));
  const Must other = is_data(c, path) ? Must::other_data : Must::same_statement;
  const auto emit = [&](const std::string& what, Json value, Must must) {
    const Json changed = with(c, path, std::move(value));
    sink("N3 " + path + ": " + what, rehashed(changed).dump(), must);
    sink("N3 " + path + ", old hash: " + what, changed.dump(),
         must == Must::other_data ? Must::invalid : must);
  };
  if (array.at("num").empty()) {
    for (const char* den : {"0x2", "0x0", "-0x1"})
      emit("denominator of no numbers", with(array, "/den", den), Must::malformed);
    return;
  }
  const auto scaled = [&](const mpz_class& factor, const mpz_class& den_factor) {
    std::vector<mpz_class> num;
    for (const Json& x : array.at("num")) num.push_back(number(x) * factor);
    return Json{{"den", hexadecimal(number(array.at("den")) * den_factor)},
                {"num", hexadecimal_list(num)}};
  };
  for (const int factor : {2, 3, 16, -1, 0}) {
    emit("numbers and denominator times " + std::to_string(factor), scaled(factor, factor),
         Must::malformed);
  }
  emit("denominator negative", scaled(1, -1), Must::malformed);
  emit("denominator zero", scaled(1, 0), Must::malformed);
  emit("denominator times 2", scaled(1, 2), other);
  emit("numbers negated", scaled(-1, 1), other);
  emit("all zero over a denominator", scaled(0, 2), Must::malformed);
  for (const char* name : {"den", "num"}) {
    emit(std::string("without ") + name, without(array, name), Must::malformed);
    emit(std::string("null as ") + name, with(array, std::string("/") + name, nullptr),
         Must::malformed);
  }
  emit("further field", with(array, "/exp", "0x0"), Must::malformed);
  emit("list of numbers", array.at("num"), Must::malformed);
  emit("list of den and num", Json::array({array.at("den"), array.at("num")}), Must::malformed);
  emit("null", nullptr, Must::malformed);
  emit("string", "0x0", Must::malformed);
  emit("denominator in a list", with(array, "/den", Json::array({array.at("den")})),
       Must::malformed);
  Json shorter = array, longer = array;
  shorter["num"].erase(shorter["num"].size() - 1);
  longer["num"].push_back("0x0");
  emit("one short", shorter, Must::malformed);
  emit("one long", longer, Must::malformed);
  emit("empty", with(array, "/num", Json::array()), Must::malformed);
}

}  // namespace

void mutate_numbers(const Json& good, const Sink& sink) {
  for (const std::string& path : integer_paths(good)) {
    for (const auto& [what, value] : misspellings(good.at(Path(path)).get<std::string>())) {
      sink("N1 " + path + ": " + what, rehashed(with(good, path, value)).dump(), Must::malformed);
    }
  }
  for (const std::string& path : array_paths(good)) mutate_array(good, path, sink);
  for (const char* path :
       {"/claim/lo", "/claim/hi", "/radius", "/trap/eta", "/trap/tolerance", "/eta", "/mu", "/L"}) {
    if (!good.contains(Path(path)) || !good.at(Path(path)).is_array()) continue;
    const Json& bound = good.at(Path(path));
    const auto emit = [&](const std::string& what, Json value) {
      sink(std::string("N4 ") + path + ": " + what, with(good, path, std::move(value)).dump(),
           Must::malformed);
    };
    emit("denominator zero", {bound[0], "0x0"});
    emit("denominator negative", {bound[0], hexadecimal(-number(bound[1]))});
    emit("both negated", {hexadecimal(-number(bound[0]) - 1), hexadecimal(-number(bound[1]))});
    emit("negative", {hexadecimal(-number(bound[0]) - 1), bound[1]});
    emit("no denominator", Json::array({bound[0]}));
    emit("three numbers", {bound[0], bound[1], "0x1"});
    emit("a string", bound[0]);
    emit("an array of the format", {{"den", bound[1]}, {"num", Json::array({bound[0]})}});
  }
}

}  // namespace tamper
