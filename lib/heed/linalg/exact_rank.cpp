// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/exact_rank.hpp"

#include <flint/fmpz_mat.h>

namespace heed {

std::size_t exact_rank(const Matrix<Rational>& a) {
  fmpz_mat_t m;
  fmpz_mat_init(m, static_cast<slong>(a.rows()), static_cast<slong>(a.cols()));
  for (std::size_t i = 0; i < a.rows(); ++i) {
    Rational den(1);
    for (std::size_t j = 0; j < a.cols(); ++j)
      mpz_lcm(mpq_numref(den.raw()), mpq_numref(den.raw()), mpq_denref(a(i, j).raw()));
    for (std::size_t j = 0; j < a.cols(); ++j) {
      const Rational integer = a(i, j) * den;
      fmpz_set_mpz(fmpz_mat_entry(m, static_cast<slong>(i), static_cast<slong>(j)),
                   mpq_numref(integer.raw()));
    }
  }
  const auto rank = static_cast<std::size_t>(fmpz_mat_rank(m));
  fmpz_mat_clear(m);
  return rank;
}

}  // namespace heed
