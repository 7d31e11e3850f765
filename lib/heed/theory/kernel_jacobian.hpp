// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// Sizes of the tokens X of one sample, Pi = I - 1 1^T/n:
///   |X|, |Pi X|  and  tau = |Pi (X*X)|_2, where X*X has the rows x_b (x) x_b.
/// So |Pi (x_b^T M x_b)_b| <= tau |M|_F for every matrix M. One token: |Pi X| = tau = 0 exactly.
template <class S>
struct TokenSizes {
  S whole, spread, products;
};

/// Cost: n^2 D and three eigenvalue problems of order n or D at most.
template <class S>
TokenSizes<S> token_sizes(const KernelAnalysis<S>& a, std::size_t i);

/// L_J(R): |J(W') - J(W'')|_2 <= L_J |W' - W''|_F, J by the trained blocks, for W', W'' in the ball
/// |W' - W|_F <= R of the trained blocks around the weights W of the instance, for every kernel; L_J
/// grows with R >= 0.
///
/// L_J = max_h lambda_max(A^h), A^h 4 x 4 over (Q, K, V, O), without the rows and columns of blocks that
/// are not trained; the entries are in the note. Not the least such constant: approached for small
/// queries and keys, usually far above. Cost: token_sizes of every sample.
/// Note: proofs-notes/kernel_smooth.md.
template <class S>
S jacobian_lipschitz(const KernelAnalysis<S>& a, const S& R,
                     KernelBlocks trained = KernelBlocks::all());

extern template TokenSizes<DoubleBall> token_sizes(const KernelAnalysis<DoubleBall>&, std::size_t);
extern template TokenSizes<Ball> token_sizes(const KernelAnalysis<Ball>&, std::size_t);
extern template DoubleBall jacobian_lipschitz(const KernelAnalysis<DoubleBall>&, const DoubleBall&,
                                              KernelBlocks);
extern template Ball jacobian_lipschitz(const KernelAnalysis<Ball>&, const Ball&, KernelBlocks);

}  // namespace heed
