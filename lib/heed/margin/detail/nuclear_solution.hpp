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

/// Interior point, with constraint generation for many rows, then Newton's method.
NuclearCandidate solve_nuclear(ScaledRows rows);

}  // namespace heed::detail
