// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "heed/numeric/ball.hpp"
#include "heed/numeric/no_fast_math.hpp"
#include "heed/numeric/ternary.hpp"

namespace heed {

class Rational;

/// Real ball [mid - rad, mid + rad] in two doubles: the first tier of every verdict.
///
/// Guarantee: for f in {+, -, *, /, sqrt, exp, ...} and any points x in X, y in Y, the result of
/// f(X, Y) contains f(x, y). Midpoints are computed once in floating point and radii carry a proved
/// bound of their rounding error, so nothing depends on the rounding mode (any of the four), on
/// flushing of subnormals, or on the contraction of products and sums into one instruction.
/// Invariant: |mid| < 2^1023; rad is 0, or 2^-1022 <= rad < 2^1023, or +inf when nothing is known
/// (then mid = 0). NaN never appears.
/// Not guaranteed: width. Where f is undefined on part of the input, or leaves that range, the result
/// is the whole line, and no predicate is ever `certainly_true` on it. What underflows widens a result
/// by 2^-1019 or less.
/// Cost: 2-4 ns an operation; exp 10-20 ns; the other elementary functions, through Arb, 0.2-0.5 us.
/// Note: proofs-notes/double_ball.md.
class DoubleBall {
 public:
  constexpr DoubleBall() noexcept = default;  ///< exactly 0
  constexpr DoubleBall(int value) noexcept : mid_(value) {}
  /// The exact double where it is 0 or 2^-1022 <= |value| < 2^1023; else an enclosure of it. NaN and
  /// infinities give the whole line.
  DoubleBall(double value) noexcept : DoubleBall(enclose(value, 0)) {}
  /// Nearest double and a bound of its distance; radius 0 if there is none.
  explicit DoubleBall(const Rational& value);
  /// Smallest convenient enclosure of a ball.
  explicit DoubleBall(const Ball& value);

  /// The whole line.
  static constexpr DoubleBall unknown() noexcept { return {0, infinity}; }
  /// Encloses [mid - rad, mid + rad] for any doubles; the whole line if one is NaN or rad < 0.
  static DoubleBall enclose(double mid, double rad) noexcept;
  /// Encloses [lo, hi]; the whole line unless -2^1023 < lo <= hi < 2^1023.
  static DoubleBall between(double lo, double hi) noexcept;

  double mid() const noexcept { return mid_; }
  double rad() const noexcept { return rad_; }
  /// Lower and upper end, rounded outward; exact if rad = 0.
  double lower() const noexcept;
  double upper() const noexcept;

  bool is_finite() const noexcept { return rad_ < infinity; }
  bool is_exact() const noexcept { return rad_ == 0; }
  bool contains_zero() const noexcept { return std::fabs(mid_) <= rad_; }
  bool contains(const Rational& value) const;
  /// False only if the two have no point in common.
  bool overlaps(const DoubleBall& other) const noexcept;

  DoubleBall& operator+=(const DoubleBall& b) noexcept { return *this = *this + b; }
  DoubleBall& operator-=(const DoubleBall& b) noexcept { return *this = *this - b; }
  DoubleBall& operator*=(const DoubleBall& b) noexcept { return *this = *this * b; }
  DoubleBall& operator/=(const DoubleBall& b) noexcept { return *this = *this / b; }

  friend DoubleBall operator+(const DoubleBall& a, const DoubleBall& b) noexcept {
    const double mid = a.mid_ + b.mid_;
    const bool exact = a.mid_ == 0 || b.mid_ == 0 || a.mid_ == -b.mid_;
    const double error = exact ? 0 : unit * std::fabs(mid) + 2 * tiny;
    return checked(mid, ((a.rad_ + b.rad_) + error) * inflate);
  }
  friend DoubleBall operator-(const DoubleBall& a, const DoubleBall& b) noexcept { return a + -b; }
  friend constexpr DoubleBall operator-(const DoubleBall& a) noexcept { return {-a.mid_, a.rad_}; }
  friend DoubleBall operator*(const DoubleBall& a, const DoubleBall& b) noexcept {
    if (a.is_zero() || b.is_zero()) return a.is_finite() && b.is_finite() ? 0 : unknown();
    const double mid = a.mid_ * b.mid_, size_a = std::fabs(a.mid_), size_b = std::fabs(b.mid_);
    const double spread = size_a * b.rad_ + a.rad_ * (size_b + b.rad_);
    return checked(mid, ((spread + unit * std::fabs(mid)) + 4 * tiny) * inflate);
  }
  friend DoubleBall operator/(const DoubleBall& a, const DoubleBall& b) noexcept {
    const double least = std::fabs(b.mid_) - b.rad_;
    if (!(least >= tiny)) return unknown();
    if (a.is_zero()) return 0;
    const double mid = a.mid_ / b.mid_, size = std::fabs(mid);
    const double spread = a.rad_ / least + (size + tiny) * (b.rad_ / least + tiny);
    return checked(mid, ((spread + unit * size) + 8 * tiny) * inflate);
  }

  /// One rounding in any mode: |fl(x) - x| <= unit |fl(x)|, or <= tiny where it underflows.
  static constexpr double unit = 0x1p-52, tiny = 0x1p-1022;
  /// Covers the rounding of a radius that takes 10 operations or fewer.
  static constexpr double inflate = 1 + 0x1p-48;
  /// Results of this size or more become the whole line: in some modes overflow gives a finite double.
  static constexpr double limit = 0x1p1023;

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr DoubleBall(double mid, double rad) noexcept : mid_(mid), rad_(rad) {}
  bool is_zero() const noexcept { return mid_ == 0 && rad_ == 0; }
  // The last step of every operation; NaN fails both comparisons.
  static DoubleBall checked(double mid, double rad) noexcept {
    if (std::fabs(mid) < limit && rad < limit) return {mid, rad};
    return unknown();
  }

  double mid_ = 0, rad_ = 0;
};

/// Exact midpoint; the radius is rounded up to the 30 bits that Ball keeps.
Ball to_ball(const DoubleBall& x);
inline const Ball& to_ball(const Ball& x) { return x; }

Ternary less(const DoubleBall& a, const DoubleBall& b);
Ternary less_equal(const DoubleBall& a, const DoubleBall& b);
Ternary positive(const DoubleBall& a);
Ternary negative(const DoubleBall& a);

DoubleBall abs(const DoubleBall& x);
DoubleBall min(const DoubleBall& a, const DoubleBall& b);
DoubleBall max(const DoubleBall& a, const DoubleBall& b);
DoubleBall sqrt(const DoubleBall& x);
/// sqrt of a quantity known to be >= 0: the part of the ball below 0 is cut off first.
DoubleBall sqrt_nonnegative(const DoubleBall& x);
DoubleBall exp(const DoubleBall& x);
DoubleBall expm1(const DoubleBall& x);
DoubleBall log(const DoubleBall& x);
DoubleBall log1p(const DoubleBall& x);
DoubleBall tanh(const DoubleBall& x);
DoubleBall square(const DoubleBall& x);
/// x 2^exponent, exactly where it stays in range.
DoubleBall ldexp(const DoubleBall& x, long exponent);

/// sum_k a[k stride_a] b[k stride_b] in one pass, with one a-priori bound of all its roundings:
/// (n + 4) 2^-52 sum_k |a_k| |b_k|, to first order.
DoubleBall dot(std::size_t n, const DoubleBall* a, std::size_t stride_a, const DoubleBall* b,
               std::size_t stride_b);

namespace approx {

inline double to_double(const DoubleBall& x) { return x.mid(); }
inline int sign(const DoubleBall& x) { return (x.mid() > 0) - (x.mid() < 0); }
inline bool less(const DoubleBall& a, const DoubleBall& b) { return a.mid() < b.mid(); }
inline bool abs_less(const DoubleBall& a, const DoubleBall& b) {
  return std::fabs(a.mid()) < std::fabs(b.mid());
}
/// e with 2^(e-1) <= max(|mid|, rad) < 2^e; -10^9 for exactly 0, 1025 for the whole line.
long exponent(const DoubleBall& x);
/// Drops the radius: afterwards x is a single point and no longer encloses anything.
inline void collapse(DoubleBall& x) { x = DoubleBall(x.mid()); }

}  // namespace approx
}  // namespace heed
