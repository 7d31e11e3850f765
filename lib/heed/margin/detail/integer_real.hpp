// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT, Boost.Multiprecision, MPFR.

#include "heed/linalg/detail/integer_matrix.hpp"
#include "heed/numeric/mpfr_real.hpp"

namespace heed::detail {

/// x to D digits.
template <unsigned D>
Real<D> to_real(const fmpz* x) {
  Real<D> r;
  fmpz_get_mpfr(r.backend().data(), x, MPFR_RNDN);
  return r;
}

/// The nearest integer.
template <unsigned D>
Integer to_integer(const Real<D>& x) {
  mpz_t z;
  mpz_init(z);
  mpfr_get_z(z, x.backend().data(), MPFR_RNDN);
  Integer r(z);
  mpz_clear(z);
  return r;
}

}  // namespace heed::detail
