// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed {

/// Loss and attention at a point W, for alpha = the selected tokens (the first claim) or the unique
/// optimal ones; inputs of one token are left out.
///
/// attsvm.softmax_margin_sandwich, per input, lse_i = log(q_i / (1 - q_i)), m_it = <A_it, W>:
///   lower  -lse_i <= min_t m_it      upper  min_t m_it <= log(T_i - 1) - lse_i
///   corr   min_i(-lse_i) / (Gamma ||W||) <= corr(W, W_mm)
/// attsvm.excess_bounds, per input, drop = gamma_opt - gbar, e = l(gbar) - l(gamma_opt):
///   slope_lower  c1 drop <= e        slope_upper  e <= |l'(gbar)| drop
///   gap_lower    Delta q <= drop     gap_upper    drop <= R q      selection  q <= n E / (c1 Delta)
/// attsvm.infeasible_loss_gap, alpha = opt infeasible:  L(W) - L_* is at least
///   support  (1/2n) min of c1 Delta over the inputs of a Farkas vector     all  over all inputs
/// attsvm.smoothness:  ||hess L||_op is at most
///   worst  L_s = (1/n) sum |z_i|^2 diam_i^2 (M2_i R_i^2 / 16 + M1_i R_i / 4)
///   paper  (1/n) sum (M2_i |v|^2 |z_i|^2 ||X_i||^4 + 3 M1_i |v| |z_i|^2 ||X_i||^3)   (unverified wording)
/// attsvm.self_bounded:
///   hessian   ||hess L||_op <= E max A_i^2 (M2_i R_i^2 + M1_i R_i) / (c1_i Delta_i)
///   gradient  ||grad L||_F  <= E max A_i max M1_i R_i / (c1_i Delta_i)
/// Note: proofs-notes/attsvm_loss.md.
template <class S>
std::vector<RungValues<S>> attsvm_loss_claims(const QueryAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> attsvm_loss_claim_infos();

extern template std::vector<RungValues<DoubleBall>> attsvm_loss_claims(
    const QueryAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> attsvm_loss_claims(const QueryAnalysis<Ball>&,
                                                                 const Wanted&);

}  // namespace heed
