// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <cstddef>
#include <vector>

#include "heed/margin/detail/integer_rows.hpp"

namespace heed::detail {

/// (A, b)(A, b)^T for the rows `index`, where b is 0 for equalities; A A^T if not `augmented`.
IntegerMatrix normal_matrix(const IntegerProblem& problem, const std::vector<std::size_t>& index,
                            bool augmented);

/// Those rows (a_k z^T, b_k), or a_k z^T alone, that are independent of the ones before them,
/// computed modulo `prime`: what is returned is independent; with an unlucky prime (probability about
/// 2^-50) an independent row is missing.
std::vector<std::size_t> independent_rows(const IntegerProblem& problem,
                                          const std::vector<std::size_t>& index, bool augmented,
                                          mp_limb_t prime);

}  // namespace heed::detail
