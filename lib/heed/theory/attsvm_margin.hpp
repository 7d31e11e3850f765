// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed {

/// The max-margin problems of the selected tokens, W_mm = argmin ||W||_F and W* = argmin ||W||_* subject
/// to <A_k, W> >= 1 (and <E_j, W> = 0), Gamma_F = 1/||W_mm||_F, Gamma_N = 1/||W*||_*; mu(W) = min_k
/// <A_k, W>. Statements about rational numbers are decided exactly. Those about W* need the bracket
/// lo <= ||W*||_* <= hi of the facts.
///
/// attsvm.dual_frobenius            primal, dual, gap: the optimality conditions
/// attsvm.dual_nuclear              dual, lower, upper, weak_duality: what proves the bracket
/// attsvm.cert_margin               frobenius_lower, frobenius_upper, nuclear_lower, nuclear_upper
/// attsvm.cert_ball                 optimal, uniform: ||W/mu - W_mm||^2 <= rho^2
/// attsvm.cert_infeasible           certificate, point: a Farkas vector and what it says of every W
/// attsvm.cert_correlation          cauchy: |corr(W, W_mm)| <= 1
/// attsvm.corr_from_margin          frobenius: rho_F <= corr   nuclear: rho_N <= 1
/// attsvm.norm_order                solution: 1/||W_mm||_* <= Gamma_N   lower: Gamma_N <= Gamma_F
///                                  upper: Gamma_F <= sqrt(rank W_mm) Gamma_N
/// attsvm.norms_coincide            rank_one, orthogonal: W_mm is a nuclear solution
/// attsvm.rank_bound                shape, spans, inputs: upper bounds of rank W_mm
/// attsvm.nuclear_rank_certificate  bracket, point: tails of singular values of feasible W
/// Note: proofs-notes/attsvm_margin.md.
template <class S>
std::vector<RungValues<S>> attsvm_margin_claims(const QueryAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> attsvm_margin_claim_infos();

extern template std::vector<RungValues<DoubleBall>> attsvm_margin_claims(
    const QueryAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> attsvm_margin_claims(const QueryAnalysis<Ball>&,
                                                                   const Wanted&);

}  // namespace heed
