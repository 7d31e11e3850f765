// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "heed/linalg/matrix.hpp"

namespace heed {

/// See gram_factor.
struct GramFactor {
  Matrix<double> L;  ///< lower triangular
  double excess;     ///< 0 <= L L^T - G <= excess, as quadratic forms
};

/// A triangular L with G <= L L^T <= G + excess for every symmetric positive semidefinite G whose distance
/// from `gram` in the Frobenius norm is at most `error`: the Cholesky factor of gram + excess/2, checked
/// by its residual. Nothing if the factorisation breaks down or is not good enough.
/// Precondition: `gram` is symmetric. Cost: m^3 / 2 multiplications.
/// Note: proofs-notes/head_norms.md.
std::optional<GramFactor> gram_factor(const Matrix<double>& gram, double error);

}  // namespace heed
