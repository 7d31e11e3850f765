// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "heed/numeric/no_fast_math.hpp"
#include "heed/numeric/precision.hpp"
#include "heed/numeric/ternary.hpp"

namespace heed {

class Rational;

/// Real ball [mid - rad, mid + rad] with an arbitrary-precision midpoint, backed by Arb.
///
/// Guarantee: for f in {+, -, *, /, sqrt, exp, ...} and any points x in X, y in Y, the result of
/// f(X, Y) contains f(x, y). Results are rounded to `working_precision()` bits.
/// Not guaranteed: width. Repeated use of one variable widens the result, and where f is undefined
/// on part of the input (division by a ball containing 0, log of a ball reaching 0) the result is
/// the ball of all reals or NaN; `is_finite()` tells, and no predicate is ever `certainly_true` on it.
/// Cost: about 20-60 ns an operation at 128 bits; 48 bytes, no allocation below 128 bits.
class Ball {
 public:
  Ball() noexcept;  ///< exactly 0
  Ball(int value) noexcept;
  Ball(long value) noexcept;
  Ball(double value) noexcept;  ///< the exact double; NaN and infinities give a non-finite ball
  /// Enclosure of an exact number; a single point when it is dyadic and fits the working precision.
  explicit Ball(const Rational& value);
  Ball(const Ball& other);
  Ball(Ball&& other) noexcept;
  Ball& operator=(const Ball& other);
  Ball& operator=(Ball&& other) noexcept;
  ~Ball();

  /// Smallest ball that contains the convex hull of both.
  static Ball hull(const Ball& a, const Ball& b);
  /// [-r, r] with r = upper bound of |radius|.
  static Ball symmetric(const Ball& radius);
  static Ball pi();

  Ball& operator+=(const Ball& other);
  Ball& operator-=(const Ball& other);
  Ball& operator*=(const Ball& other);
  Ball& operator/=(const Ball& other);
  friend Ball operator+(const Ball& a, const Ball& b);
  friend Ball operator-(const Ball& a, const Ball& b);
  friend Ball operator*(const Ball& a, const Ball& b);
  friend Ball operator/(const Ball& a, const Ball& b);
  friend Ball operator-(const Ball& a);

  /// Midpoint as a single point.
  Ball midpoint() const;
  /// Radius as a single point.
  Ball radius() const;
  /// Lower and upper end as single points, rounded outward to the working precision.
  Ball lower() const;
  Ball upper() const;

  bool is_finite() const;
  bool is_exact() const;  ///< radius 0 and finite
  bool contains_zero() const;
  bool contains(const Ball& other) const;
  bool contains(const Rational& value) const;
  bool overlaps(const Ball& other) const;
  /// True if 2 rad <= 10^-digits |mid| (so false for a ball that contains 0, unless it is exactly 0).
  bool has_relative_digits(int digits) const;
  /// True if 2 rad <= 10^-digits.
  bool has_absolute_digits(int digits) const;

  /// Pointer to the underlying arb_struct; see heed/numeric/ball_arb.hpp.
  void* raw() noexcept { return storage_; }
  const void* raw() const noexcept { return storage_; }

 private:
  alignas(8) std::byte storage_[48];
};

Ternary less(const Ball& a, const Ball& b);
Ternary less_equal(const Ball& a, const Ball& b);
Ternary positive(const Ball& a);
Ternary negative(const Ball& a);

Ball abs(const Ball& x);
Ball min(const Ball& a, const Ball& b);
Ball max(const Ball& a, const Ball& b);
Ball sqrt(const Ball& x);
/// sqrt of a quantity known to be >= 0: the part of the ball below 0 is cut off first.
Ball sqrt_nonnegative(const Ball& x);
Ball exp(const Ball& x);
Ball expm1(const Ball& x);
Ball log(const Ball& x);
Ball log1p(const Ball& x);
Ball tanh(const Ball& x);
Ball square(const Ball& x);
/// x 2^exponent, exactly.
Ball ldexp(const Ball& x, long exponent);
/// 10^exponent.
Ball power_of_ten(long exponent);

/// initial + sum_k a[k stride_a] b[k stride_b], with one rounding at the end.
Ball dot(std::size_t n, const Ball* a, std::size_t stride_a, const Ball* b, std::size_t stride_b);

namespace approx {

/// Nearest double to the midpoint (may overflow to infinity or underflow to 0).
double to_double(const Ball& x);
/// Sign of the midpoint.
int sign(const Ball& x);
/// Midpoint of a below midpoint of b.
bool less(const Ball& a, const Ball& b);
/// Midpoint of |a| below midpoint of |b|.
bool abs_less(const Ball& a, const Ball& b);
/// Exponents of a ball are unbounded; these are cut off, so that sums of them do not overflow.
inline constexpr long exponent_limit = 1L << 60;
/// e with 2^(e-1) <= |mid| < 2^e, cut off at +-exponent_limit; -2 exponent_limit for 0.
long exponent(const Ball& x);
/// Drops the radius: afterwards x is a single point and no longer encloses anything.
void collapse(Ball& x);

}  // namespace approx
}  // namespace heed
