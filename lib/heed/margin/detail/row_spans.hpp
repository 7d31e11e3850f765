// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/margin/margin_problem.hpp"

namespace heed::detail {

/// Exact rank of all a_k and e_j whose query is not 0; of all z_i that occur in a row that is not
/// 0.
std::size_t rank_of_rows(const MarginProblem& problem);
std::size_t rank_of_queries(const MarginProblem& problem);

/// True if the z_i that occur are mutually orthogonal and the rows of different inputs too.
bool has_orthogonal_inputs(const MarginProblem& problem);
/// The number of inputs with an inequality that is not 0.
std::size_t inputs_with_inequalities(const MarginProblem& problem);

}  // namespace heed::detail
