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
///   kernel.jac_lipschitz.all  half, eighth     |J(W) - J(W')| <= L_J |W - W'| at W' = W/2, 9W/8;
///                                              L_J: kernel_jacobian.hpp
/// Note: proofs-notes/kernel_smooth.md.
template <class S>
std::vector<RungValues<S>> kernel_smooth_claims(const KernelAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> kernel_smooth_claim_infos();

extern template std::vector<RungValues<DoubleBall>> kernel_smooth_claims(
    const KernelAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> kernel_smooth_claims(const KernelAnalysis<Ball>&,
                                                                   const Wanted&);

}  // namespace heed
