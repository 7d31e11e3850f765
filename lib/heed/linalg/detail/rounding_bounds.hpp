// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "heed/numeric/no_fast_math.hpp"

namespace heed::detail {

/// The model of arithmetic behind all bounds in double here: every operation returns
///     exact (1 + delta) + epsilon,   |delta| <= unit_roundoff, |epsilon| <= underflow_unit,
/// which holds in every rounding mode, with or without fused multiply-add, and also when subnormal
/// results are flushed to zero.  Note: proofs-notes/fast_eigenvalue.md.
inline constexpr double unit_roundoff = 0x1p-52;
inline constexpr double underflow_unit = 0x1p-1022;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Upper bound of a non-negative real. Operations inflate their result by more than their rounding
/// error. Not finite (infinite or NaN) if nothing is known; then every sum and product is so, too.
class Upper {
 public:
  constexpr Upper() = default;
  constexpr explicit Upper(double value) : value_(value) {}
  double value() const { return value_; }
  bool is_finite() const { return value_ <= std::numeric_limits<double>::max(); }

  friend Upper operator+(Upper a, Upper b) { return inflate(a.value_ + b.value_); }
  friend Upper operator*(Upper a, Upper b) { return inflate(a.value_ * b.value_); }
  /// Precondition: b > 0 is a lower bound of the divisor.
  friend Upper operator/(Upper a, double b) { return inflate(a.value_ / b); }
  friend Upper sqrt(Upper a) { return inflate(std::sqrt(a.value_)); }
  /// NaN if one of them is.
  friend Upper max(Upper a, Upper b) {
    return a.value_ != a.value_ || b.value_ <= a.value_ ? a : b;
  }
  /// Both are bounds of the same number; NaN only if the first is.
  friend Upper min(Upper a, Upper b) { return b.value_ < a.value_ ? b : a; }

 private:
  static Upper inflate(double x) { return Upper(x * (1 + 8 * unit_roundoff) + 4 * underflow_unit); }
  double value_ = 0;
};

/// gamma_k = k u / (1 - k u); infinite when k u >= 1/2.
inline Upper gamma(std::size_t k) {
  const double ku = static_cast<double>(k) * unit_roundoff;
  if (!(ku < 0.5)) return Upper(infinity);
  return Upper(ku) / (1 - ku - 4 * unit_roundoff);
}

/// Absolute part of the error of a sum of k products (in any order): every operation may underflow.
inline Upper underflow(std::size_t k) {
  return Upper(4 * static_cast<double>(k + 1) * underflow_unit);
}

/// Upper bound of (sum of squares)^{1/2} of `count` entries. Infinite from 2^500 on: entries that
/// overflowed count as unknown, also where the rounding mode made them the largest double.
inline Upper norm_bound(const double* x, std::size_t count) {
  double lane[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (std::size_t j = 0; j < 4; ++j) lane[j] += x[k + j] * x[k + j];
  for (; k < count; ++k) lane[0] += x[k] * x[k];
  const double sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
  if (sum >= 0x1p1000) return Upper(infinity);
  // The computed sum is at least (1 - gamma) times the exact one, up to underflow.
  return sqrt((Upper(sum) + underflow(count)) * (Upper(1) + gamma(2 * count + 8)));
}

/// At least (at most) the exact result of the one operation that gave x, NaN if x is NaN.
inline double round_up(double x) {
  return x + (std::fabs(x) * (8 * unit_roundoff) + 4 * underflow_unit);
}
inline double round_down(double x) {
  return x - (std::fabs(x) * (8 * unit_roundoff) + 4 * underflow_unit);
}

/// At most (at least) x 2^exponent; infinities, NaN and 0 stay.
inline double unscale_down(double x, int exponent) {
  if (!(std::fabs(x) < infinity) || x == 0) return x;
  const double r = std::ldexp(x, exponent);
  // An underflow or overflow rounds either way.
  return std::ldexp(r, -exponent) == x ? r : std::nextafter(r, -infinity);
}
inline double unscale_up(double x, int exponent) { return -unscale_down(-x, exponent); }

}  // namespace heed::detail
