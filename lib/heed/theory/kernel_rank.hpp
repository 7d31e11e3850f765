// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// When J_V has full row rank:
///   kernel.rank.cover          necessary   M_r <= sum_h rank(W_O^h) min(rank X_stack, N m, ...)
///                              sufficient  max_h sigma_p(W_O^h)^2 sigma_Nm(B_h)^2 <= mu_V
///                              tokens      min_i sigma(S_ih)^2 sigma_Nn(X_stack)^2 <= sigma(B_h)^2
///   kernel.rank.affine_tokens  necessary   M_r <= (D - 1) sum_h rank W_O^h + rank [W_O^1T ..]
///   kernel.rank.tied_qk        gershgorin  1 - max_a sum_{b /= a} S_ab <= lambda_min(S), S gaussian
///   kernel.rank_equivalence    sigma       sigma_min of S against that of the other kernel
///   kernel.zero_qk             rank        rank B_h <= N
/// Integer inequalities are decided exactly. Note: proofs-notes/kernel_rank.md.
template <class S>
std::vector<RungValues<S>> kernel_rank_claims(const KernelAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> kernel_rank_claim_infos();

/// Identities:
///   kernel.rank_equivalence    S_soft = Lambda_1 S_gauss Lambda_2, entry by entry
///   kernel.rank.affine_tokens  B_h w = U 1 for every head
template <class S>
std::vector<IdentityResult> check_kernel_rank_identities(const KernelAnalysis<S>& a);

extern template std::vector<RungValues<DoubleBall>> kernel_rank_claims(
    const KernelAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> kernel_rank_claims(const KernelAnalysis<Ball>&,
                                                                 const Wanted&);
extern template std::vector<IdentityResult> check_kernel_rank_identities(
    const KernelAnalysis<DoubleBall>&);
extern template std::vector<IdentityResult> check_kernel_rank_identities(
    const KernelAnalysis<Ball>&);

}  // namespace heed
