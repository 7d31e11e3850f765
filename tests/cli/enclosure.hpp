// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/run.hpp"
#include "heed/numeric/rational.hpp"

namespace cli_test {

using heed::Rational;

/// [lo, hi], exactly as printed.
struct Enclosure {
  Rational lo, hi;

  Rational width() const { return hi - lo; }
  bool contains(const Rational& x) const { return lo <= x && x <= hi; }
  bool meets(const Enclosure& other) const { return lo <= other.hi && other.lo <= hi; }
};

/// 10^-digits.
inline Rational ten_to_minus(int digits) { return Rational::parse("1e-" + std::to_string(digits)); }

/// Reads {"lo", "hi"}; throws if it is anything else or lo > hi.
inline Enclosure enclosure_of(const Json& j) {
  const Enclosure e{Rational::parse(j.at("lo").get<std::string>()),
                    Rational::parse(j.at("hi").get<std::string>())};
  if (e.lo > e.hi) throw std::invalid_argument("lo > hi");
  return e;
}

inline Rational magnitude(const Enclosure& e) {
  const Rational a = abs(e.lo), b = abs(e.hi);
  return a > b ? a : b;
}

/// True if the width is at most 10^-digits relative to the value, or 10^-digits for one around 0.
inline bool narrow(const Enclosure& e, int digits) {
  const bool around_zero = e.lo.sign() <= 0 && e.hi.sign() >= 0;
  return e.width() <= (around_zero ? ten_to_minus(digits) : ten_to_minus(digits) * magnitude(e));
}

/// Compares printed enclosures with stored decimals, array by array.
class Comparison {
 public:
  /// Stored values below 10^-`stored_zero` stand for 0: so far the reference programs rounded.
  Comparison(int digits, int stored_digits, int stored_zero = 1000)
      : digits_(digits), stored_digits_(stored_digits), stored_zero_(stored_zero) {}

  void compare(const std::string& where, const Json& printed, const Json& stored);

  std::size_t numbers() const { return numbers_; }
  /// One line a miss: place, what was printed, what is stored.
  const std::vector<std::string>& misses() const { return misses_; }

 private:
  void number(const std::string& where, const Json& printed, const std::string& stored);
  void miss(const std::string& where, const std::string& what, const Json& printed,
            const std::string& stored);

  int digits_, stored_digits_, stored_zero_;
  std::size_t numbers_ = 0;
  std::vector<std::string> misses_;
};

/// The misses as one text, for messages.
std::string listed(const std::vector<std::string>& misses);

}  // namespace cli_test
