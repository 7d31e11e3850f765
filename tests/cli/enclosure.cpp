// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"

namespace cli_test {

void Comparison::compare(const std::string& where, const Json& printed, const Json& stored) {
  if (stored.is_object()) {
    for (const auto& [key, value] : stored.items()) {
      if (!printed.is_object() || !printed.contains(key))
        miss(where + "." + key, "absent", printed, "");
      else
        compare(where + "." + key, printed.at(key), value);
    }
  } else if (stored.is_array()) {
    if (!printed.is_array() || printed.size() != stored.size())
      return miss(where, "another shape", printed, stored.dump());
    for (std::size_t k = 0; k < stored.size(); ++k)
      compare(where + "[" + std::to_string(k) + "]", printed[k], stored[k]);
  } else {
    number(where, printed, stored.is_string() ? stored.get<std::string>() : stored.dump());
  }
}

void Comparison::number(const std::string& where, const Json& printed, const std::string& stored) {
  ++numbers_;
  try {
    const Enclosure e = enclosure_of(printed);
    Rational value = Rational::parse(stored);
    if (abs(value) < ten_to_minus(stored_zero_)) value = Rational();
    const Rational slack = abs(value) * ten_to_minus(stored_digits_);
    if (!e.meets({value - slack, value + slack}))
      miss(where, "does not contain the stored value", printed, stored);
    const Rational scale = value.sign() == 0 ? Rational(1) : abs(value);
    if (e.width() > ten_to_minus(digits_) * scale) miss(where, "too wide", printed, stored);
  } catch (const std::exception& error) {
    miss(where, error.what(), printed, stored);
  }
}

void Comparison::miss(const std::string& where, const std::string& what, const Json& printed,
                      const std::string& stored) {
  misses_.push_back(where + ": " + what + ": printed " + printed.dump().substr(0, 200) +
                    ", stored " + stored.substr(0, 80));
}

std::string listed(const std::vector<std::string>& misses) {
  std::string text;
  for (const std::string& m : misses) text += m + "\n";
  return text;
}

}  // namespace cli_test
