// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opt-in: includes Boost.Multiprecision and MPFI. Link Boost::headers, MPFI, MPFR, GMP.

#include <boost/multiprecision/mpfi.hpp>

#include "heed/numeric/scalar.hpp"

namespace heed {

/// Endpoint interval of D decimal digits by MPFI: the second, independent implementation of the
/// enclosure promise. Used to check Ball; not used by the command.
/// Not guaranteed: an interval made from a subnormal double while the processor takes those for 0
/// (MPFI compares with 0); use Scalar<Interval<D>>::from(Rational(x)) then.
template <unsigned D>
using Interval = boost::multiprecision::number<boost::multiprecision::mpfi_float_backend<D>,
                                               boost::multiprecision::et_off>;

template <unsigned D>
struct Scalar<Interval<D>> {
  static constexpr bool rigorous = true;
  static Interval<D> from(const Rational& q) {
    Interval<D> r;
    mpfi_set_q(r.backend().data(), q.raw());
    return r;
  }
};

template <unsigned D>
Interval<D> abs(const Interval<D>& x) {
  Interval<D> r;
  mpfi_abs(r.backend().data(), x.backend().data());
  return r;
}
template <unsigned D>
Interval<D> max(const Interval<D>& a, const Interval<D>& b) {
  // mpfr_max would drop a NaN.
  if (mpfi_nan_p(a.backend().data()) != 0) return a;
  if (mpfi_nan_p(b.backend().data()) != 0) return b;
  Interval<D> r;
  mpfr_max(&r.backend().data()->left, &a.backend().data()->left, &b.backend().data()->left,
           MPFR_RNDD);
  mpfr_max(&r.backend().data()->right, &a.backend().data()->right, &b.backend().data()->right,
           MPFR_RNDU);
  return r;
}
template <unsigned D>
Interval<D> min(const Interval<D>& a, const Interval<D>& b) {
  return -max(Interval<D>(-a), Interval<D>(-b));
}
template <unsigned D>
Interval<D> sqrt_nonnegative(const Interval<D>& x) {
  return sqrt(max(x, Interval<D>(0)));
}
template <unsigned D>
Interval<D> expm1(const Interval<D>& x) {
  Interval<D> r;
  mpfi_expm1(r.backend().data(), x.backend().data());
  return r;
}
template <unsigned D>
Interval<D> log1p(const Interval<D>& x) {
  Interval<D> r;
  mpfi_log1p(r.backend().data(), x.backend().data());
  return r;
}
template <unsigned D>
Interval<D> square(const Interval<D>& x) {
  Interval<D> r;
  mpfi_sqr(r.backend().data(), x.backend().data());
  return r;
}
template <unsigned D>
Interval<D> ldexp(const Interval<D>& x, long exponent) {
  Interval<D> r;
  mpfi_mul_2si(r.backend().data(), x.backend().data(), exponent);
  return r;
}

namespace approx {
template <unsigned D>
double to_double(const Interval<D>& x) {
  return mpfi_get_d(x.backend().data());
}
template <unsigned D>
int sign(const Interval<D>& x) {
  const double mid = to_double(x);
  return (mid > 0) - (mid < 0);
}
template <unsigned D>
bool less(const Interval<D>& a, const Interval<D>& b) {
  return mpfr_less_p(&a.backend().data()->left, &b.backend().data()->left) != 0;
}
template <unsigned D>
bool abs_less(const Interval<D>& a, const Interval<D>& b) {
  return less(abs(a), abs(b));
}
template <unsigned D>
long exponent(const Interval<D>& x) {
  return sign(x) == 0 ? -1'000'000'000 : mpfr_get_exp(&x.backend().data()->right);
}
template <unsigned D>
void collapse(Interval<D>& x) {
  mpfr_t mid;
  mpfr_init2(mid, mpfi_get_prec(x.backend().data()));
  mpfi_mid(mid, x.backend().data());
  mpfi_set_fr(x.backend().data(), mid);
  mpfr_clear(mid);
}
}  // namespace approx
}  // namespace heed
