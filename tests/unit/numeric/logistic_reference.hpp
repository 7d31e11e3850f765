// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "unit/numeric/mpfr_reference.hpp"

namespace heed::test {

/// l, p, l'', l''' at a point by their textbook formulas in MPFR, with so many bits that neither
/// cancellation nor rounding matters at `bits`; |t| < 2^25, and t = 0 or |t| > 2^-1100.
inline std::array<Ball, 4> logistic_reference(const Ball& t, int bits) {
  const mpfr_prec_t work = 2 * bits + 4000;
  const Mpfr x(t);
  Mpfr e(work), one_plus(work), l(work), p(work), q(work), second(work), third(work);
  mpfr_exp(e.get(), x.get(), MPFR_RNDN);
  mpfr_add_ui(one_plus.get(), e.get(), 1, MPFR_RNDN);
  mpfr_ui_div(p.get(), 1, one_plus.get(), MPFR_RNDN);     // 1/(1 + e^t)
  mpfr_div(q.get(), e.get(), one_plus.get(), MPFR_RNDN);  // 1 - p
  mpfr_ui_div(l.get(), 1, e.get(), MPFR_RNDN);
  mpfr_log1p(l.get(), l.get(), MPFR_RNDN);  // log(1 + e^-t)
  mpfr_mul(second.get(), p.get(), q.get(), MPFR_RNDN);
  mpfr_sub(third.get(), p.get(), q.get(), MPFR_RNDN);
  mpfr_mul(third.get(), third.get(), second.get(), MPFR_RNDN);  // p q (p - q)
  std::array<Ball, 4> result;
  const PrecisionScope scope(2 * bits + 200);
  const Mpfr* values[] = {&l, &p, &second, &third};
  for (std::size_t k = 0; k < 4; ++k) {
    const Ball value = values[k]->ball();
    result[k] = value + Ball::symmetric(ldexp(value, -2 * bits - 100));
  }
  return result;
}

}  // namespace heed::test
