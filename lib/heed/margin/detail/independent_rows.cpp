// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/independent_rows.hpp"

#include <flint/nmod_mat.h>

namespace heed::detail {

IntegerMatrix normal_matrix(const IntegerProblem& problem, const std::vector<std::size_t>& index,
                            bool augmented) {
  IntegerMatrix h = gram(problem, index);
  if (!augmented) return h;
  for (std::size_t k = 0; k < index.size(); ++k)
    for (std::size_t l = 0; l < index.size(); ++l)
      if (problem.rhs(index[k]) != nullptr && problem.rhs(index[l]) != nullptr)
        fmpz_addmul(h.at(k, l), problem.rhs(index[k]), problem.rhs(index[l]));
  return h;
}

std::vector<std::size_t> independent_rows(const IntegerProblem& problem,
                                          const std::vector<std::size_t>& index, bool augmented,
                                          mp_limb_t prime) {
  std::vector<std::size_t> kept;
  if (index.empty()) return kept;
  nmod_mat_t h;
  const auto p = static_cast<slong>(index.size());
  nmod_mat_init(h, p, p, prime);
  fmpz_mat_get_nmod_mat(h, normal_matrix(problem, index, augmented).raw());
  const slong rank = nmod_mat_rref(h);
  for (slong r = 0, c = 0; r < rank; ++r, ++c) {
    while (nmod_mat_entry(h, r, c) == 0) ++c;
    kept.push_back(index[static_cast<std::size_t>(c)]);
  }
  nmod_mat_clear(h);
  return kept;
}

}  // namespace heed::detail
