// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opt-in: includes Boost.Multiprecision, MPFR and Eigen/Core. Link Boost::headers, MPFR, GMP.

#include <Eigen/Core>
#include <boost/multiprecision/mpfr.hpp>

#include "heed/numeric/scalar.hpp"

namespace heed {

/// MPFR real of D decimal digits, correctly rounded to nearest, stored without allocation.
/// Approximate: a reference and search scalar, it carries no error bound.
template <unsigned D>
using Real = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<D, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

template <unsigned D>
struct Scalar<Real<D>> {
  static constexpr bool rigorous = false;
  static Real<D> from(const Rational& q) {
    Real<D> r;
    mpfr_set_q(r.backend().data(), q.raw(), MPFR_RNDN);
    return r;
  }
};

template <unsigned D>
Real<D> min(const Real<D>& a, const Real<D>& b) {
  return b < a ? b : a;
}
template <unsigned D>
Real<D> max(const Real<D>& a, const Real<D>& b) {
  return a < b ? b : a;
}
template <unsigned D>
Real<D> sqrt_nonnegative(const Real<D>& x) {
  return x <= 0 ? Real<D>(0) : Real<D>(sqrt(x));
}
template <unsigned D>
Real<D> expm1(const Real<D>& x) {
  Real<D> r;
  mpfr_expm1(r.backend().data(), x.backend().data(), MPFR_RNDN);
  return r;
}
template <unsigned D>
Real<D> log1p(const Real<D>& x) {
  Real<D> r;
  mpfr_log1p(r.backend().data(), x.backend().data(), MPFR_RNDN);
  return r;
}
template <unsigned D>
Real<D> square(const Real<D>& x) {
  return x * x;
}
template <unsigned D>
Real<D> ldexp(const Real<D>& x, long exponent) {
  Real<D> r;
  mpfr_mul_2si(r.backend().data(), x.backend().data(), exponent, MPFR_RNDN);
  return r;
}

namespace approx {
template <unsigned D>
double to_double(const Real<D>& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDN);
}
template <unsigned D>
int sign(const Real<D>& x) {
  return x.sign();
}
template <unsigned D>
bool less(const Real<D>& a, const Real<D>& b) {
  return a < b;
}
template <unsigned D>
bool abs_less(const Real<D>& a, const Real<D>& b) {
  return mpfr_cmpabs(a.backend().data(), b.backend().data()) < 0;
}
template <unsigned D>
long exponent(const Real<D>& x) {
  return x == 0 ? -1'000'000'000 : mpfr_get_exp(x.backend().data());
}
template <unsigned D>
void collapse(Real<D>&) {}
}  // namespace approx
}  // namespace heed

/// Boost 1.74's own NumTraits lack infinity, quiet_NaN and digits, without which norms, printing and
/// the self-adjoint eigen-solver of Eigen 3.4 do not compile.
template <unsigned D>
struct Eigen::NumTraits<heed::Real<D>> {
  using Self = heed::Real<D>;
  using Real = Self;
  using NonInteger = Self;
  using Nested = Self;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 40,
    MulCost = 60
  };
  static Self epsilon() { return std::numeric_limits<Self>::epsilon(); }
  static Self dummy_precision() { return 1000 * epsilon(); }
  static Self highest() { return (std::numeric_limits<Self>::max)(); }
  static Self lowest() { return -highest(); }
  static Self infinity() { return std::numeric_limits<Self>::infinity(); }
  static Self quiet_NaN() { return std::numeric_limits<Self>::quiet_NaN(); }
  static int digits10() { return static_cast<int>(D); }
  static int max_digits10() { return static_cast<int>(D) + 3; }
  static int digits() { return std::numeric_limits<Self>::digits; }
  static int min_exponent() { return std::numeric_limits<Self>::min_exponent; }
  static int max_exponent() { return std::numeric_limits<Self>::max_exponent; }
};
