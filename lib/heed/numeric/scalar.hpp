// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "heed/numeric/ball.hpp"
#include "heed/numeric/double_ball.hpp"
#include "heed/numeric/no_fast_math.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// What generic formulas ask of a scalar besides arithmetic:
///
///   Scalar<S>::from(q)    the value of an exact number in S
///   Scalar<S>::rigorous   true if results enclose the exact value
///   abs min max sqrt sqrt_nonnegative exp expm1 log log1p tanh square ldexp dot
///   approx::sign, less, abs_less, to_double, exponent, collapse: for choices and candidates that
///                         affect accuracy only
///
/// Scalars: double here; DoubleBall in double_ball.hpp; Ball in ball.hpp; MPFR reals in mpfr_real.hpp;
/// MPFI intervals in mpfi.hpp; Rational for what needs arithmetic only.
template <class S>
struct Scalar;

template <>
struct Scalar<double> {
  static constexpr bool rigorous = false;
  static double from(const Rational& q) { return q.nearest_double(); }
};

template <>
struct Scalar<DoubleBall> {
  static constexpr bool rigorous = true;
  static DoubleBall from(const Rational& q) { return DoubleBall(q); }
};

template <>
struct Scalar<Ball> {
  static constexpr bool rigorous = true;
  static Ball from(const Rational& q) { return Ball(q); }
};

template <>
struct Scalar<Rational> {
  static constexpr bool rigorous = true;
  static Rational from(const Rational& q) { return q; }
};

inline double abs(double x) { return std::fabs(x); }
inline double min(double a, double b) { return std::min(a, b); }
inline double max(double a, double b) { return std::max(a, b); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double sqrt_nonnegative(double x) { return std::sqrt(std::max(x, 0.0)); }
inline double exp(double x) { return std::exp(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double log(double x) { return std::log(x); }
inline double log1p(double x) { return std::log1p(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double square(double x) { return x * x; }
inline double ldexp(double x, long exponent) {
  return std::ldexp(x, static_cast<int>(std::clamp(exponent, -5000L, 5000L)));
}

/// sum_k a[k stride_a] b[k stride_b], for every scalar that brings no better one.
template <class S>
S dot(std::size_t n, const S* a, std::size_t stride_a, const S* b, std::size_t stride_b) {
  S sum(0);
  for (std::size_t k = 0; k < n; ++k) sum += a[k * stride_a] * b[k * stride_b];
  return sum;
}

namespace approx {
inline double to_double(double x) { return x; }
inline int sign(double x) { return (x > 0) - (x < 0); }
inline bool less(double a, double b) { return a < b; }
inline bool abs_less(double a, double b) { return std::fabs(a) < std::fabs(b); }
inline void collapse(double&) {}
inline long exponent(double x) {
  if (x == 0) return -1'000'000'000;
  int e = 0;
  std::frexp(x, &e);
  return e;
}
}  // namespace approx

}  // namespace heed
