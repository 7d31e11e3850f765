// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/double_ball.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {
namespace {

constexpr double unit = DoubleBall::unit, tiny = DoubleBall::tiny, inflate = DoubleBall::inflate;

// By bits: where subnormals count as 0, a comparison does not see them.
bool is_subnormal(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x) & 0x7fff'ffff'ffff'ffffu;
  return bits != 0 && bits < 0x0010'0000'0000'0000u;
}

// Upper bound of |x|, x finite.
double magnitude(const DoubleBall& x) { return (std::fabs(x.mid()) + x.rad()) * inflate; }

Ternary ternary(bool yes, bool no) {
  if (yes) return Ternary::certainly_true;
  return no ? Ternary::certainly_false : Ternary::unknown;
}

// Through Arb, at a precision that leaves the result as narrow as a double can hold.
template <class F>
DoubleBall through_ball(const DoubleBall& x, F f) {
  if (!x.is_finite()) return DoubleBall::unknown();
  const PrecisionScope scope(64);
  return DoubleBall(f(to_ball(x)));
}

double power_of_two(long e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
}

// x 2^e with |e| <= 4400 in steps that are exact unless the result leaves the normal range.
double scaled(double x, long e) {
  for (; e > 1000; e -= 1000) x *= 0x1p1000;
  for (; e < -1000; e += 1000) x *= 0x1p-1000;
  return x * power_of_two(e);
}

}  // namespace

DoubleBall DoubleBall::enclose(double mid, double rad) noexcept {
  if (!(rad >= 0)) return unknown();
  if (is_subnormal(mid)) {
    mid = 0;
    rad = (rad + tiny) * inflate;
  }
  return checked(mid, is_subnormal(rad) ? tiny : rad);
}

DoubleBall DoubleBall::between(double lo, double hi) noexcept {
  if (!(lo <= hi && -limit < lo && hi < limit)) return unknown();
  if (lo == hi) return enclose(lo, 0);
  // An end at 0 stays there: square roots and signs depend on it.
  const double half = std::max((hi - lo) / 2, tiny);
  if (lo == 0) return checked(half, half);
  if (hi == 0) return checked(-half, half);
  const double mid = lo / 2 + hi / 2;
  return enclose(mid, std::max(hi - mid, mid - lo) * inflate + 4 * tiny);
}

DoubleBall::DoubleBall(const Rational& value) {
  const double near = value.nearest_double();
  if (!(std::fabs(near) < limit)) {
    *this = unknown();
  } else if (is_subnormal(near) || Rational(near) != value) {
    *this = enclose(near, unit * std::fabs(near) + 2 * tiny);
  } else {
    mid_ = near;
  }
}

DoubleBall::DoubleBall(const Ball& value) {
  *this = unknown();
  if (!value.is_finite()) return;
  arf_t radius;
  arf_init(radius);
  arf_set_mag(radius, arb_radref(arb(value)));
  const double near = arf_get_d(arb_midref(arb(value)), ARF_RND_NEAR);
  double rad = arf_get_d(radius, ARF_RND_UP);
  if (std::fabs(near) < limit && arf_equal_d(arb_midref(arb(value)), near) == 0)
    rad = (rad + (unit / 2 * std::fabs(near) + 2 * tiny)) * inflate;  // rounded to nearest by Arb
  arf_clear(radius);
  *this = enclose(near, rad);
}

double DoubleBall::lower() const noexcept { return -(-*this).upper(); }

double DoubleBall::upper() const noexcept {
  if (rad_ == 0) return mid_;
  const double end = mid_ + rad_;
  return end + (4 * unit * std::fabs(end) + 8 * tiny);
}

bool DoubleBall::contains(const Rational& value) const {
  return !is_finite() || abs(value - Rational(mid_)) <= Rational(rad_);
}

bool DoubleBall::overlaps(const DoubleBall& other) const noexcept {
  return !(upper() < other.lower() || other.upper() < lower());
}

Ball to_ball(const DoubleBall& x) {
  Ball r(x.mid());
  mag_set_d(arb_radref(arb(r)), x.rad());
  return r;
}

// Ends of the whole line are infinite, so it satisfies no comparison with a finite number.
Ternary less(const DoubleBall& a, const DoubleBall& b) {
  return ternary(a.upper() < b.lower(), a.lower() >= b.upper());
}
Ternary less_equal(const DoubleBall& a, const DoubleBall& b) {
  return ternary(a.upper() <= b.lower(), a.lower() > b.upper());
}
Ternary positive(const DoubleBall& a) { return ternary(a.mid() > a.rad(), -a.mid() >= a.rad()); }
Ternary negative(const DoubleBall& a) { return ternary(-a.mid() > a.rad(), a.mid() >= a.rad()); }

DoubleBall abs(const DoubleBall& x) {
  if (!x.is_finite()) return x;
  if (x.mid() >= x.rad()) return x;
  if (-x.mid() >= x.rad()) return -x;
  return DoubleBall::between(0, magnitude(x));
}

DoubleBall max(const DoubleBall& a, const DoubleBall& b) {
  if (!a.is_finite() || !b.is_finite()) return DoubleBall::unknown();
  const double la = a.lower(), lb = b.lower(), ua = a.upper(), ub = b.upper();
  if (la >= ub) return a;
  if (lb >= ua) return b;
  return DoubleBall::between(std::max(la, lb), std::max(ua, ub));
}

DoubleBall min(const DoubleBall& a, const DoubleBall& b) { return -max(-a, -b); }

DoubleBall sqrt(const DoubleBall& x) {
  const double m = x.mid(), r = x.rad();
  if (!(m >= r)) return DoubleBall::unknown();
  if (m == 0) return 0;
  // |sqrt(t) - sqrt(m)| = |t - m| / (sqrt(t) + sqrt(m)), and t >= m - r.
  const double root = std::sqrt(m);
  const double slope = r == 0 ? 0 : r / (root + std::sqrt((m - r) * (1 - 0x1p-49)));
  return DoubleBall::enclose(root, (slope + unit * root) * inflate + tiny);
}

DoubleBall sqrt_nonnegative(const DoubleBall& x) {
  if (!x.is_finite() || x.mid() >= x.rad()) return sqrt(x);
  if (-x.mid() > x.rad()) return DoubleBall::unknown();
  const double end = x.upper();
  return DoubleBall::between(0, std::sqrt(end) * inflate);
}

DoubleBall exp(const DoubleBall& x) {
  // m = k log 2 + t, |t| <= 0.35: k log2_high is exact, and so is its difference from m.
  constexpr double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33,
                   per_log2 = 0x1.71547652b82fep0, integers = 0x1.8p52;
  const double m = x.mid(), r = x.rad();
  const double k = (m * per_log2 + integers) - integers;
  const double t = (m - k * log2_high) - k * log2_low;
  if (!(std::fabs(m) <= 700 && r <= 1 && std::fabs(t) <= 0.35))
    return through_ball(x, [](const Ball& y) { return exp(y); });
  double sum = 1.0 / 6227020800;
  for (const double c : {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                         1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    sum = sum * t + c;
  const double value = sum * power_of_two(static_cast<long>(k));
  const double error = r == 0 ? 0 : value * (r + r * r) + 2 * tiny;
  return DoubleBall::enclose(value, (m == 0 ? error : error + 3 * unit * value) * inflate);
}
DoubleBall expm1(const DoubleBall& x) {
  return through_ball(x, [](const Ball& t) { return expm1(t); });
}
DoubleBall log(const DoubleBall& x) {
  return through_ball(x, [](const Ball& t) { return log(t); });
}
DoubleBall log1p(const DoubleBall& x) {
  return through_ball(x, [](const Ball& t) { return log1p(t); });
}
DoubleBall tanh(const DoubleBall& x) {
  return through_ball(x, [](const Ball& t) { return tanh(t); });
}

DoubleBall square(const DoubleBall& x) {
  if (!x.is_finite() || std::fabs(x.mid()) >= x.rad()) return x * x;
  const double size = magnitude(x);
  return DoubleBall::between(0, size * size * inflate + 4 * tiny);
}

DoubleBall ldexp(const DoubleBall& x, long exponent) {
  if (!x.is_finite() || exponent == 0) return x;
  const long e = std::clamp(exponent, -4400L, 4400L);
  const double mid = scaled(x.mid(), e);
  double rad = scaled(x.rad(), e);
  // What left the normal range downwards was below 2^-1022, and is replaced by 0.
  if (x.rad() != 0 && !(rad >= tiny)) rad = tiny;
  if (x.mid() != 0 && !(std::fabs(mid) >= tiny))
    return DoubleBall::enclose(0, (rad + tiny) * inflate);
  return DoubleBall::enclose(mid, rad);
}

DoubleBall dot(std::size_t n, const DoubleBall* a, std::size_t stride_a, const DoubleBall* b,
               std::size_t stride_b) {
  if (n > std::size_t{1} << 30) return DoubleBall::unknown();
  double mid = 0, size = 0, spread = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const DoubleBall &x = a[k * stride_a], &y = b[k * stride_b];
    const double product = x.mid() * y.mid(), size_x = std::fabs(x.mid()),
                 size_y = std::fabs(y.mid());
    mid += product;
    size += std::fabs(product);
    spread += size_x * y.rad() + x.rad() * (size_y + y.rad());
  }
  const auto count = static_cast<double>(n);
  if (!(size < DoubleBall::limit)) return DoubleBall::unknown();
  if (size == 0 && spread == 0) {
    const auto zero = [](const DoubleBall& x) { return x.is_exact() && x.mid() == 0; };
    bool exact = true;
    for (std::size_t k = 0; k < n && exact; ++k)
      exact = zero(a[k * stride_a]) || zero(b[k * stride_b]);
    if (exact) return 0;
  }
  const double error = spread + (count + 4) * unit * size + 8 * count * tiny;
  return DoubleBall::enclose(mid, error * (1 + (2 * count + 32) * unit));
}

namespace approx {

long exponent(const DoubleBall& x) {
  const double size = std::max(std::fabs(x.mid()), x.rad());
  if (size == 0) return -1'000'000'000;
  return std::isfinite(size) ? std::ilogb(size) + 1L : 1025L;
}

}  // namespace approx
}  // namespace heed
