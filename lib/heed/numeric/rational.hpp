// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmp.h>

#include <compare>
#include <string>
#include <string_view>

namespace heed {

/// Exact rational number: a value type over GMP's mpq_t, always in lowest terms.
///
/// Inputs are kept as Rational from the file to the formula, so no decimal ever passes through a
/// double. Arithmetic is exact; there is no infinity and no NaN.
///
/// Errors: division by zero throws std::domain_error; a non-finite double throws
/// std::invalid_argument.
class Rational {
 public:
  Rational();
  Rational(int value);
  Rational(long value);
  /// The exact value of a finite double (a dyadic rational).
  explicit Rational(double value);
  Rational(long numerator, long denominator);
  Rational(const Rational& other);
  Rational(Rational&& other) noexcept;
  Rational& operator=(const Rational& other);
  Rational& operator=(Rational&& other) noexcept;
  ~Rational();

  /// Reads `-1.25`, `6e-31`, `.5`, `22/7` or a hexadecimal float `0x1.8p-3` exactly.
  ///
  /// Throws std::invalid_argument for anything else, for a zero denominator, for more than
  /// `max_digits` characters, and for a decimal exponent beyond +-`max_exponent` (binary exponent
  /// beyond four times that), which would only serve to exhaust memory.
  static Rational parse(std::string_view text);
  static constexpr long max_exponent = 20'000;
  static constexpr std::size_t max_digits = 20'000;

  /// 2^exponent.
  static Rational power_of_two(long exponent);

  Rational& operator+=(const Rational& other);
  Rational& operator-=(const Rational& other);
  Rational& operator*=(const Rational& other);
  Rational& operator/=(const Rational& other);

  friend Rational operator+(Rational a, const Rational& b) { return a += b; }
  friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
  friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
  friend Rational operator/(Rational a, const Rational& b) { return a /= b; }
  friend Rational operator-(Rational a);
  friend Rational abs(Rational a);
  friend bool operator==(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

  /// -1, 0 or +1.
  int sign() const;
  /// True if the denominator is a power of two.
  bool is_dyadic() const;
  /// The nearest double, ties to even (overflow gives an infinity, underflow a subnormal or zero).
  double nearest_double() const;
  /// `p/q`, or `p` for an integer.
  std::string to_string() const;
  /// The shortest of `p`, a terminating decimal when the denominator has only factors 2 and 5, or
  /// `p/q`; exact in each case.
  std::string to_decimal_or_fraction() const;

  const mpq_t& raw() const { return value_; }
  mpq_t& raw() { return value_; }

 private:
  mpq_t value_;
};

}  // namespace heed
