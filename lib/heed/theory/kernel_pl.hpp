// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// Gram matrices G_b = J_b J_b^T of blocks b, mu_b and L_b their extreme eigenvalues:
///   kernel.pl_block       W_Q ..., all          2 mu_b f <= |grad_b f|^2
///                         W_Q_upper ...         |grad_b f|^2 <= 2 L_b f
///   kernel.pl_all         weyl                  sum_b mu_b <= mu_all
///   kernel.pl_value_only  value                 2 mu_V f <= |grad_{W_V} f|^2 here and at W_V = 0
///                         general               2 sigma_+^2 (f - f*) <= |grad_{W_V} f|^2
///                         factored              sum_h sigma_p(W_O^h)^2 sigma_Nm(B_h)^2 <= mu_V
///                         common                sigma_p(W_O)^2 sigma_Nm([B_1 .. B_H])^2 <= mu_V
///   kernel.gd_value_only  contraction, fastest  f_{t+1} <= rho^2 f_t, step 1/L_V and 2/(L_V + mu_V)
///                         distance              |W_t - W_0| <= sqrt(2 f_0 / mu_V), step 1/L_V
///   kernel.value_stationary_is_global           sqrt(2 mu_V f) <= |grad f|, and f > 0: not stationary
///   kernel.pl_query_only  gram                  sigma^2 min lambda_min(sum_h C C^T) <= mu_Q
///                         token                 the bound of each token and head <= lambda_min(C C^T)
/// Cost: four Gram matrices and their ends. Note: proofs-notes/kernel_pl.md.
template <class S>
std::vector<RungValues<S>> kernel_pl_claims(const KernelAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> kernel_pl_claim_infos();

/// Identities of the model, evaluated in enclosures:
///   kernel.noether           W_V^T dW_V = dW_O W_O^T; W_Q^T dW_Q = (dW_K)^T W_K (softmax), or
///                            W_Q^T dW_Q + W_K^T dW_K is symmetric (distances)
///   kernel.gram_value        J_V J_V^T and J_O J_O^T by features
///   kernel.gd_value_only     f after steps on W_V is |(I - eta G_V)^t r_0|^2 / 2
///   kernel.zero_qk           a zero W_Q or W_K: the derivatives that vanish, mu_V
///   kernel.pl_query_only.obstruction   z^T C = 0 for the z of the hypothesis
template <class S>
std::vector<IdentityResult> check_kernel_pl_identities(const KernelAnalysis<S>& a);

extern template std::vector<RungValues<DoubleBall>> kernel_pl_claims(
    const KernelAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> kernel_pl_claims(const KernelAnalysis<Ball>&,
                                                               const Wanted&);
extern template std::vector<IdentityResult> check_kernel_pl_identities(
    const KernelAnalysis<DoubleBall>&);
extern template std::vector<IdentityResult> check_kernel_pl_identities(const KernelAnalysis<Ball>&);

}  // namespace heed
