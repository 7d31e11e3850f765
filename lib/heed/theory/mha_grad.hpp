// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// mha.grad_bound, per sample i:  ||grad Phi(X_i)|| is at most
///   paper  sqrt(T) R (2 R^2 ||theta||_{2,inf} + 1)          (unverified wording)
///   worst  b1 = sqrt(T) R sqrt(1 + R^4 mean_h ||U_h||_F^2)
///   geom   sqrt(T_i r^2 + sigma^2 (D/2)^4 mean_h ||U_h||_F^2)
///   state  sqrt(mean_h [||A_h X||_F^2 + sigma^2 sum_t c_t^2 ||u_t||^2]),  c_t = lambda_max(C_t)
///   exact  ||grad Phi(X_i)||
/// mha.loss_grad:  ||grad L|| is at most
///   paper  beta1 L      worst_loss  b1 L      worst_1mexp  b1 (1 - exp(-L))      worst  b1 G
///   geom, state, gradexact  (1/n) sum_i p_i bound_i;      exact  ||grad L||
///   squared  ||grad L||^2 <= b1^2 L / 2
/// Note: proofs-notes/mha_grad.md.
template <class S>
std::vector<RungValues<S>> mha_grad_claims(const MhaAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> mha_grad_claim_infos();

extern template std::vector<RungValues<double>> mha_grad_claims(const MhaAnalysis<double>&,
                                                                const Wanted&);
extern template std::vector<RungValues<DoubleBall>> mha_grad_claims(const MhaAnalysis<DoubleBall>&,
                                                                    const Wanted&);
extern template std::vector<RungValues<Ball>> mha_grad_claims(const MhaAnalysis<Ball>&,
                                                              const Wanted&);

}  // namespace heed
