// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/mha.hpp"
#include "heed/linalg/point_saddle.hpp"

namespace heed::test {

/// How far a computed Hessian lies from the exact one, unscaled. `found` is the Frobenius norm of the
/// difference, largest block plus J^T J: at least the spectral norm, and no more than sqrt(P) times it.
struct HessianDistance {
  double bound = 0;  ///< what the matrix claims, its perturbation
  double found = 0;
  double norm = 0;  ///< upper bound of the norm of the matrix
};

HessianDistance hessian_distance(const PointSaddle& a, const MhaModel<Ball>& exact);

}  // namespace heed::test
