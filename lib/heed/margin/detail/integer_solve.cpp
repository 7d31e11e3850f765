// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/integer_solve.hpp"

#include <flint/fmpq.h>

#include <stdexcept>

namespace heed::detail {

std::optional<RationalVector> solve(const IntegerMatrix& A, const IntegerMatrix& b) {
  const std::size_t n = A.rows();
  RationalVector x{std::vector<Integer>(n), {}};
  fmpz_one(x.den.raw());
  if (fmpz_mat_is_zero(b.raw()) != 0) return x;
  IntegerMatrix residue(n, 1);
  Integer modulus;
  if (fmpz_mat_solve_dixon(residue.raw(), modulus.raw(), A.raw(), b.raw()) == 0)
    return std::nullopt;
  // Numerators and denominators up to `most` are determined by their residues.
  Integer most;
  fmpz_sub_ui(most.raw(), modulus.raw(), 1);
  fmpz_fdiv_q_2exp(most.raw(), most.raw(), 1);
  fmpz_sqrt(most.raw(), most.raw());
  for (std::size_t k = 0; k < n; ++k) {
    fmpz* numerator = x.numerators[k].raw();
    fmpz_mul(numerator, residue.at(k, 0), x.den.raw());
    fmpz_smod(numerator, numerator, modulus.raw());
    if (fmpz_cmpabs(numerator, most.raw()) <= 0) continue;
    fmpz_mod(numerator, numerator, modulus.raw());
    fmpq_t fraction;
    fmpq_init(fraction);
    const bool found = fmpq_reconstruct_fmpz(fraction, numerator, modulus.raw()) != 0;
    if (found) {
      for (std::size_t l = 0; l < k; ++l)
        fmpz_mul(x.numerators[l].raw(), x.numerators[l].raw(), fmpq_denref(fraction));
      fmpz_mul(x.den.raw(), x.den.raw(), fmpq_denref(fraction));
      fmpz_set(numerator, fmpq_numref(fraction));
    }
    fmpq_clear(fraction);
    if (!found) throw std::logic_error("integer_solve: no fraction of the expected size");
  }
  return x;
}

}  // namespace heed::detail
