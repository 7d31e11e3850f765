// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/attention/kernel_attention.hpp"
#include "heed/linalg/block_saddle.hpp"

namespace heed {

/// The Hessian of f by some blocks, in the shape of SaddleBlock: with r the residuals,
///
///   hess f = J^T J + r.D^2 F,   r.D^2 F = blockdiag over heads of [[0, M_h], [M_h^T, K_h]],
///
/// since F is a sum over heads, and linear in W_V. The rows of M_h are W_V^h; those of K_h are W_Q^h,
/// W_K^h, W_O^h, each only if trained. Where nothing but W_V is trained M_h has no rows and K_h = 0.
template <class S>
struct LayerHessian {
  std::vector<SaddleBlock<S>> blocks;
  Matrix<S> J;                     ///< M_r x P
  std::vector<std::size_t> order;  ///< parameter k here is order[k] of the flat vector
};

/// Guarantee: as KernelModel: encloses, exact for Rational. K_h is exactly symmetric.
/// Cost: for each sample and head about n D^2 d (3 d + 2 d_v) + n^2 D d (2 d + D + d_v) operations and a
/// Jacobian; the columns of KernelModel::hessian cost P products instead.
/// Note: proofs-notes/kernel_ends.md.
template <class S>
LayerHessian<S> layer_hessian(const KernelModel<S>& model, KernelBlocks blocks);

extern template LayerHessian<double> layer_hessian(const KernelModel<double>&, KernelBlocks);
extern template LayerHessian<DoubleBall> layer_hessian(const KernelModel<DoubleBall>&,
                                                       KernelBlocks);
extern template LayerHessian<Ball> layer_hessian(const KernelModel<Ball>&, KernelBlocks);
extern template LayerHessian<Rational> layer_hessian(const KernelModel<Rational>&, KernelBlocks);

}  // namespace heed
