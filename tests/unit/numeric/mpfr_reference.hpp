// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <string>

#include "heed/numeric/ball_arb.hpp"

namespace heed::test {

/// mpfr_t as a value of its own precision.
class Mpfr {
 public:
  explicit Mpfr(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  /// The midpoint of a ball, exactly.
  explicit Mpfr(const Ball& x) : Mpfr(std::max<mpfr_prec_t>(arb_bits(arb(x)), MPFR_PREC_MIN)) {
    arf_get_mpfr(value_, arb_midref(arb(x)), MPFR_RNDN);
  }
  ~Mpfr() { mpfr_clear(value_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  Ball ball() const {
    Ball r;
    arf_set_mpfr(arb_midref(arb(r)), value_);
    return r;
  }

 private:
  mpfr_t value_;
};

/// Ball with the two numbers in it, and hardly more.
inline Ball between(const Mpfr& a, const Mpfr& b) {
  const PrecisionScope scope(
      static_cast<int>(std::max(mpfr_get_prec(a.get()), mpfr_get_prec(b.get()))) + 64);
  return Ball::hull(a.ball(), b.ball());
}

/// f(x) of a point by MPFR, rounded both ways at `bits`: an enclosure that Arb had no part in.
template <class F>
Ball mpfr_unary(F f, const Ball& x, int bits) {
  const Mpfr argument(x);
  Mpfr down(bits), up(bits);
  f(down.get(), argument.get(), MPFR_RNDD);
  f(up.get(), argument.get(), MPFR_RNDU);
  return between(down, up);
}

template <class F>
Ball mpfr_binary(F f, const Ball& x, const Ball& y, int bits) {
  const Mpfr a(x), b(y);
  Mpfr down(bits), up(bits);
  f(down.get(), a.get(), b.get(), MPFR_RNDD);
  f(up.get(), a.get(), b.get(), MPFR_RNDU);
  return between(down, up);
}

/// The point mid + rad k/8 of a ball, exactly; |k| <= 8.
inline Ball point_of(const Ball& x, long k) {
  const PrecisionScope exact(200'000);
  return x.midpoint() + ldexp(x.radius() * Ball(k), -3);
}

/// True if the relative width of x is at most 2^-bits.
inline bool has_relative_bits(const Ball& x, long bits) {
  const PrecisionScope scope(64);
  return x.is_finite() && certainly(less_equal(ldexp(x.radius(), bits + 1), abs(x.midpoint())));
}

inline std::string show(const Ball& x) {
  char* text = arb_get_str(arb(x), 40, ARB_STR_MORE);
  std::string s(text);
  flint_free(text);
  return s;
}

}  // namespace heed::test
