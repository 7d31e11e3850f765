// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "heed/margin/detail/nuclear_newton.hpp"

namespace heed::detail {

/// A candidate in double for a scaled problem.
struct NuclearCandidate {
  ScaledRows rows;                              ///< all rows, at the scale of the candidate
  MatrixXd V;                                   ///< (B; C), W = 4^scale B C^T
  VectorXd l;                                   ///< for every row
  std::vector<Index> active;                    ///< the rows of `newton`, ascending
  std::shared_ptr<const NuclearNewton> newton;  ///< null if the polish failed
  bool unbounded = false;  ///< the multipliers grow without end: perhaps infeasible
};

/// Interior point, with constraint generation for many rows, then Newton's method. A problem with
/// an inequality 0 >= 1 counts as unbounded; at least one inequality is needed.
NuclearCandidate solve_nuclear(const MarginProblem& problem);

/// Index of an inequality with a_k = 0 or z_i = 0, or the number of inequalities.
std::size_t zero_inequality(const MarginProblem& problem);

}  // namespace heed::detail
