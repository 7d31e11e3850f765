// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed {

/// The landscape at a point W. W_mm, Gamma = 1/||W_mm||_F, A = max_i A_i belong to alpha = opt but in the
/// last claim, where they belong to the selected tokens. Hypotheses E, S, C: query_facts.hpp. None of
/// these claims says that a method converges: fixture attsvm_15 satisfies every hypothesis and gradient
/// descent from 0 ends at a wrong token.
///
/// attsvm.no_stationary_points (C):  -<grad L, W_mm> is at least
///   gap          (1/n) sum |l'_i| s_opt (gamma_opt - gbar_i)
///   probability  (1/n) sum |l'_i| s_opt q_i Delta_i  > 0
/// attsvm.gradient_alignment:  corr(-grad L, W_mm) is at least
///   equal_scores (E)  Gamma/A      comonotone (C)  (Gamma/A) min_i s_opt Delta_i / R_i
/// attsvm.gradient_domination, theta = min_i (s_opt - q_i B_i R'_i / (4 Delta_i)):
///   signed      Gamma theta (1/n) sum |l'_i| (gamma_opt - gbar_i) <= -<grad L, W_mm>/||W_mm||
///   excess      Gamma theta E <= the same, if theta >= 0
///   norm        Gamma max(theta, 0) E <= ||grad L||_F
///   comonotone  (C)  excess with theta = min_i s_opt
/// attsvm.feasible_overparam, selected tokens, without W:
///   norm  ||W_mm||^2 <= tr(U (Z Z^T)^{-1} U^T),  U = [D_i^T (D_i D_i^T)^{-1} 1]
/// attsvm.feasible_iff_vertex:  only_if, if
/// attsvm.local_cone, selected tokens locally optimal:
///   state  (1/n) sum |l'_i| s_alpha (S_sup Delta_loc - S_non N) <= -<grad L, W_mm>, alpha on top at W
///   cone   0 <= -<grad L, W_mm> in the cone     ray  the same at a multiple of W_mm in the cone
/// Note: proofs-notes/attsvm_landscape.md.
template <class S>
std::vector<RungValues<S>> attsvm_landscape_claims(const QueryAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> attsvm_landscape_claim_infos();

/// theta(W) of attsvm.gradient_domination, from exact B_i, R'_i and Delta_i. Precondition: linear_loss,
/// some_choice, unique optimal tokens that are feasible.
template <class S>
S domination_theta(const QueryAnalysis<S>& a);

/// <A_k, -grad L(0)> for the constraints of the optimal tokens, a statistic of the first step from 0 and no
/// more: all may be positive and gradient descent from 0 still end at a wrong token (instance D3 of
/// the note). Softmax is 1/T exactly there. Precondition: linear_loss, unique optimal tokens.
template <class S>
std::vector<S> first_gradient_products(const QueryAnalysis<S>& a);

extern template std::vector<RungValues<DoubleBall>> attsvm_landscape_claims(
    const QueryAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> attsvm_landscape_claims(const QueryAnalysis<Ball>&,
                                                                      const Wanted&);
extern template DoubleBall domination_theta(const QueryAnalysis<DoubleBall>&);
extern template Ball domination_theta(const QueryAnalysis<Ball>&);
extern template std::vector<DoubleBall> first_gradient_products(const QueryAnalysis<DoubleBall>&);
extern template std::vector<Ball> first_gradient_products(const QueryAnalysis<Ball>&);

}  // namespace heed
