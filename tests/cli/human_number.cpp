// SPDX-License-Identifier: Apache-2.0
#include "cli/human_number.hpp"

#include <regex>

namespace cli_test {

Enclosure printed_number(const std::string& text) {
  static const std::string plain = R"(-?[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?)";
  static const std::regex exact(plain);
  static const std::regex digits(R"((-?)([0-9]+(?:\.[0-9]*)?)\[([0-9]),([0-9])\]((?:e-?[0-9]+)?))");
  static const std::regex around("(" + plain + ") \\+/- (" + plain + ")");
  static const std::regex ends("\\[(" + plain + "), (" + plain + ")\\]");
  std::smatch m;
  const auto number = [&](const std::string& s) { return Rational::parse(s); };
  if (std::regex_match(text, exact)) return {number(text), number(text)};
  if (std::regex_match(text, m, digits)) {
    const Rational near = number(m[2].str() + m[3].str() + m[5].str());
    const Rational far = number(m[2].str() + m[4].str() + m[5].str());
    if (near > far) throw std::invalid_argument("digits in the wrong order: " + text);
    return m[1].length() == 0 ? Enclosure{near, far} : Enclosure{-far, -near};
  }
  if (std::regex_match(text, m, around))
    return {number(m[1]) - number(m[2]), number(m[1]) + number(m[2])};
  if (std::regex_match(text, m, ends)) return {number(m[1]), number(m[2])};
  throw std::invalid_argument("not a number as the command prints them: " + text);
}

}  // namespace cli_test
