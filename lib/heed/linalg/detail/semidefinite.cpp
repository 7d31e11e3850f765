// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/semidefinite.hpp"

#include "heed/numeric/ball_arb.hpp"

#if __has_include(<flint/arb_mat.h>)
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

namespace heed::detail {

// After step k the entries a_ij, i, j > k, are the minors of order k + 1 of the rows eliminated so
// far with row i and column j; dividing by the pivot before the last keeps them integers.
bool is_semidefinite_exactly(IntegerMatrix a) {
  const std::size_t n = a.rows();
  Integer previous, t;
  fmpz_set_si(previous.raw(), 1);
  for (std::size_t k = 0; k < n; ++k) {
    const int sign = fmpz_sgn(a.at(k, k));
    if (sign < 0) return false;
    if (sign == 0) {
      for (std::size_t j = k + 1; j < n; ++j)
        if (!fmpz_is_zero(a.at(k, j))) return false;
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) {
        fmpz_mul(t.raw(), a.at(i, j), a.at(k, k));
        fmpz_submul(t.raw(), a.at(k, i), a.at(k, j));
        fmpz_divexact(a.at(i, j), t.raw(), previous.raw());
      }
    fmpz_set(previous.raw(), a.at(k, k));
  }
  return true;
}

bool is_definite(const IntegerMatrix& a, long bits) {
  const auto n = static_cast<slong>(a.rows());
  arb_mat_t x, l;
  arb_mat_init(x, n, n);
  arb_mat_init(l, n, n);
  bool proved = false;
  for (int i = 0; i < 4 && !proved; ++i, bits *= 2) {
    arb_mat_set_round_fmpz_mat(x, a.raw(), bits);
    proved = arb_mat_cho(l, x, bits) != 0;
  }
  arb_mat_clear(l);
  arb_mat_clear(x);
  return proved;
}

bool is_semidefinite(const Integer& alpha, const Integer& beta, const IntegerMatrix& M, long bits) {
  IntegerMatrix a = multiply(transpose(M), M);
  fmpz_mat_scalar_mul_fmpz(a.raw(), a.raw(), beta.raw());
  fmpz_mat_neg(a.raw(), a.raw());
  for (std::size_t i = 0; i < a.rows(); ++i) fmpz_add(a.at(i, i), a.at(i, i), alpha.raw());
  return is_definite(a, bits) || (a.rows() <= 16 && is_semidefinite_exactly(std::move(a)));
}

}  // namespace heed::detail
