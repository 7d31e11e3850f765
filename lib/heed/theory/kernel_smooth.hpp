// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// Smoothness constants:
///   kernel.lip_attention      d1, d2           derivatives of S along scores, or queries minus keys
///   kernel.smooth.value       features         L_V <= sum_h |W_O^h|^2 |B_h|^2
///                             attention        |S|_2 <= sqrt n (rows sum to 1), n, or 1 (gaussian/n)
///   kernel.smooth.query       all_queries      |hess_{W_Q} f| <= |X_stack|^2 max L_ia
///   kernel.smoothness_gap     curvature        |D^2 phi_c| <= beta sum |P_b|, or
///                                              beta^2 dP dK^2 / (6 sqrt 3)
///                             gap              n = 2: which of the two bounds is larger
///   kernel.jac_lipschitz.all  half, eighth     |J(W) - J(W')| <= L_J |W - W'| at W' = W/2, 9W/8
/// Note: proofs-notes/kernel_smooth.md.
template <class S>
std::vector<RungValues<S>> kernel_smooth_claims(const KernelAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> kernel_smooth_claim_infos();

/// Softmax, gaussian or gaussian/n: the constant L_J(R) below is known for these.
Condition has_jacobian_bound(AttentionKernel kernel);

/// L_J(R): |J(W') - J(W'')|_2 <= L_J |W' - W''|_F for all blocks in the ball |W' - W|_F <= R around the
/// weights W of the instance. Precondition: has_jacobian_bound.
template <class S>
S jacobian_lipschitz(const KernelAnalysis<S>& a, const S& R);

extern template std::vector<RungValues<DoubleBall>> kernel_smooth_claims(
    const KernelAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> kernel_smooth_claims(const KernelAnalysis<Ball>&,
                                                                   const Wanted&);
extern template DoubleBall jacobian_lipschitz(const KernelAnalysis<DoubleBall>&, const DoubleBall&);
extern template Ball jacobian_lipschitz(const KernelAnalysis<Ball>&, const Ball&);

}  // namespace heed
