// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "heed/numeric/mpfi.hpp"
#include "unit/numeric/itl.hpp"
#include "unit/numeric/mpfr_reference.hpp"

namespace heed::test {

using Mpfi = Interval<50>;

/// The ends of an enclosure [l, h], rounded to doubles both ways. NaN encloses nothing.
struct Ends {
  bool defined = false;
  double lo = 0, lo_up = 0;    ///< RD(l), RU(l)
  double hi_down = 0, hi = 0;  ///< RD(h), RU(h)

  static Ends of(mpfr_srcptr l, mpfr_srcptr h) {
    return {true, mpfr_get_d(l, MPFR_RNDD), mpfr_get_d(l, MPFR_RNDU), mpfr_get_d(h, MPFR_RNDD),
            mpfr_get_d(h, MPFR_RNDU)};
  }
  bool finite() const { return defined && std::isfinite(lo) && std::isfinite(hi); }
};

inline Ends ends_of(const Mpfi& x) {
  if (mpfi_nan_p(x.backend().data()) != 0) return {};
  return Ends::of(&x.backend().data()->left, &x.backend().data()->right);
}

inline Ends ends_of(const Ball& x) {
  const double inf = std::numeric_limits<double>::infinity();
  if (arf_is_nan(arb_midref(arb(x))) != 0) return {};
  if (!x.is_finite()) return {true, -inf, -inf, inf, inf};
  Mpfr lo(300), hi(300);
  arb_get_interval_mpfr(lo.get(), hi.get(), arb(x));
  return Ends::of(lo.get(), hi.get());
}

/// The scalar's enclosure of [lo, hi]; NaI becomes NaN.
template <class S>
S enclosure(const ItlValue& v);

template <>
inline Mpfi enclosure<Mpfi>(const ItlValue& v) {
  Mpfi r;
  if (v.kind == ItlValue::Kind::nai) {
    mpfi_set_d(r.backend().data(), std::numeric_limits<double>::quiet_NaN());
  } else {
    mpfi_interv_d(r.backend().data(), v.lo, v.hi);
  }
  return r;
}

template <>
inline Ball enclosure<Ball>(const ItlValue& v) {
  if (v.kind == ItlValue::Kind::nai) return Ball(std::numeric_limits<double>::quiet_NaN());
  if (!v.bounded()) return Ball::hull(Ball(v.lo), Ball(v.hi));
  // Midpoint exact; radius exact where 30 bits hold it, which a hull does not see to.
  const PrecisionScope exact(2200);
  Ball r = ldexp(Ball(v.lo) + Ball(v.hi), -1);
  const Ball radius = ldexp(Ball(v.hi) - Ball(v.lo), -1);
  arf_get_mag_lower(arb_radref(arb(r)), arb_midref(arb(radius)));
  if (!certainly(less_equal(radius, r.radius())))
    arf_get_mag(arb_radref(arb(r)), arb_midref(arb(radius)));
  return r;
}

/// One operation of the standard in one of our scalars. Each is monotone in every argument (abs and
/// sqr on either side of 0), so the range over a box within the domain is that of its corners.
template <class S>
struct Operation {
  const char* name;
  S (*apply)(const S*);
  enum class Domain { everywhere, nonnegative, positive, last_nonzero } domain = Domain::everywhere;
  bool cuts_domain = false;  ///< ignores the part of the input outside of the domain
  bool turns_at_zero = false;

  /// True if the operation is continuous where its last argument is in [lo, hi].
  bool continuous(double lo, double hi) const {
    switch (domain) {
      case Domain::nonnegative:
        return lo >= 0;
      case Domain::positive:
        return lo > 0;
      case Domain::last_nonzero:
        return lo > 0 || hi < 0;
      case Domain::everywhere:
        break;
    }
    return true;
  }
};

template <class S>
const std::vector<Operation<S>>& operations() {
  using heed::abs, heed::min, heed::max, heed::square, heed::sqrt_nonnegative;
  using Domain = typename Operation<S>::Domain;
  static const std::vector<Operation<S>> all{
      {"pos", [](const S* x) { return x[0]; }},
      {"neg", [](const S* x) { return S(-x[0]); }},
      {"add", [](const S* x) { return S(x[0] + x[1]); }},
      {"sub", [](const S* x) { return S(x[0] - x[1]); }},
      {"mul", [](const S* x) { return S(x[0] * x[1]); }},
      {"fma", [](const S* x) { return S(x[0] * x[1] + x[2]); }},
      {"div", [](const S* x) { return S(x[0] / x[1]); }, Domain::last_nonzero},
      {"recip", [](const S* x) { return S(S(1) / x[0]); }, Domain::last_nonzero},
      {"sqr", [](const S* x) { return square(x[0]); }, Domain::everywhere, false, true},
      {"abs", [](const S* x) { return abs(x[0]); }, Domain::everywhere, false, true},
      {"sqrt", [](const S* x) { return S(sqrt(x[0])); }, Domain::nonnegative},
      {"sqrt", [](const S* x) { return sqrt_nonnegative(x[0]); }, Domain::nonnegative, true},
      {"min", [](const S* x) { return min(x[0], x[1]); }},
      {"max", [](const S* x) { return max(x[0], x[1]); }},
      {"exp", [](const S* x) { return S(exp(x[0])); }},
      {"log", [](const S* x) { return S(log(x[0])); }, Domain::positive},
      {"tanh", [](const S* x) { return S(tanh(x[0])); }}};
  return all;
}

}  // namespace heed::test
