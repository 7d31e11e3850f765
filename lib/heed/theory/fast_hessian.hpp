// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/attention/mha_enclosed.hpp"
#include "heed/attention/mha_reduced.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {

/// Eigenvalues of hess L by the kernels of EnclosedMha and fast_lambda_min.
struct FastHessian {
  Extremes<DoubleBall> extremes;
  std::vector<DoubleBall> block_minima;  ///< per head, of (1/n) sum_i l'_i y_i hess Phi(X_i)
};

/// The midpoints, if the numbers are known as EnclosedMha asks.
std::optional<MhaInputs<double>> midpoints_for_kernels(const MhaInputs<DoubleBall>& in);

/// Guarantee: encloses the exact values; `reduced`: those of the instance whose reduction this is, with
/// the eigenvalues 0 that it leaves out. Not guaranteed: widths; parts may be unknown.
/// Cost: see EnclosedMha::hessian and fast_lambda_min; H + 2 eigenvalues.
/// Notes: proofs-notes/hessian_enclosure.md, fast_eigenvalue.md, token_rank.md.
FastHessian fast_hessian(const EnclosedMha& e, bool reduced);
/// The same at the weights of an instance; unknown where midpoints_for_kernels has nothing.
FastHessian fast_hessian(const MhaReduced<DoubleBall>& reduction);

}  // namespace heed
