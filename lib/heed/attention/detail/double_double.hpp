// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "heed/numeric/no_fast_math.hpp"

namespace heed::approx {

/// hi + lo with |lo| <= ulp(hi) / 2: some 31 digits, by error-free transformations.
///
/// Relative errors are a few 2^-104 an operation (exp: 2^-95 for arguments down to -700) while
/// results stay above 1e-290; below that they fall to those of double. No error bound is proved.
/// Infinite values turn into NaN.
struct DoubleDouble {
  double hi = 0, lo = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : hi(value) {}
  /// a + b, without rounding.
  static DoubleDouble sum(double a, double b) {
    const double s = a + b, part = s - a;
    return {s, (a - (s - part)) + (b - part)};
  }
  /// a b, without rounding unless it underflows.
  static DoubleDouble product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
  }
  double value() const { return hi + lo; }

  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble s = sum(a.hi, b.hi), t = sum(a.lo, b.lo);
    const DoubleDouble u = ordered(s.hi, s.lo + t.hi);
    return ordered(u.hi, u.lo + t.lo);
  }
  friend DoubleDouble operator-(const DoubleDouble& a) { return {-a.hi, -a.lo}; }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble p = product(a.hi, b.hi);
    return ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double q = a.hi / b.hi;
    const DoubleDouble rest = a - b * q;
    const double r = rest.hi / b.hi;
    return ordered(q, r) + (rest - b * r).hi / b.hi;
  }
  DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }

 private:
  DoubleDouble(double high, double low) : hi(high), lo(low) {}
  // high + low, without rounding if |high| >= |low|.
  static DoubleDouble ordered(double high, double low) {
    const double s = high + low;
    return {s, low - (s - high)};
  }
  friend DoubleDouble exp(const DoubleDouble& x);
  friend DoubleDouble sqrt_of(double x);
};

inline DoubleDouble sqrt_of(double x) {
  const double root = std::sqrt(x);
  return DoubleDouble::ordered(
      root, (DoubleDouble(x) - DoubleDouble::product(root, root)).hi / (2 * root));
}

// x = k log 2 + 2^9 r; e^r - 1 by its series, then doubled nine times by (1 + e)^2 - 1 = 2 e + e^2.
inline DoubleDouble exp(const DoubleDouble& x) {
  const DoubleDouble log2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  if (!(x.hi > -800)) return std::exp(x.hi);  // 0, or NaN
  if (x.hi > 800) return std::exp(x.hi);
  const double k = std::nearbyint(x.hi / log2.hi);
  DoubleDouble r = x - log2 * k;
  r = DoubleDouble(std::ldexp(r.hi, -9), std::ldexp(r.lo, -9));
  DoubleDouble series = 1;
  for (int n = 9; n > 1; --n) series = DoubleDouble(1) + series * r / DoubleDouble(n);
  DoubleDouble e = series * r;
  for (int n = 0; n < 9; ++n) e = e + e + e * e;
  e += 1;
  const int power = static_cast<int>(k);
  return {std::ldexp(e.hi, power), std::ldexp(e.lo, power)};
}

}  // namespace heed::approx
