// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/margin/ntk_margin.hpp"
#include "heed/theory/budget.hpp"
#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// NTK margin of an instance, with what it took.
struct NtkEnclosure {
  NtkMargin margin;
  int bits = 0;               ///< precision of the last kernel
  bool budget_ended = false;  ///< gamma has fewer digits than the budget asks for
};

/// Encloses the NTK margin (margin/ntk_margin.hpp): exactly where the features are rational, else from
/// kernels at rising precision until upper - lower <= 10^-digits gamma or the budget ends.
///
/// `separable()` is proved, `not_separable()` is proved; where neither holds only gamma <= upper is known.
/// A margin of 0 that cannot be proved ends at budget.zero_bits with upper <= 10^-digits, budget_ended
/// unset.
/// Precondition: the instance has weights. Note: proofs-notes/ntk.md.
NtkEnclosure enclose_ntk_margin(const MhaInstance& instance, const Budget& budget);

/// With psi_i = grad Phi(X_i), gamma = max_{||v|| <= 1} min_i y_i <psi_i, v>, and gamma_h, gamma_U,
/// gamma_W the margins of the coordinates of one head, of all U_h, of all W_h:
///
/// mha.ntk.margin:  gamma is at most
///   worst  b1        uniform  ||(1/n) sum_i y_i psi_i||        single  min_i ||psi_i||     exact  gamma
/// mha.ntk.split:  gamma is at least
///   parts  sqrt(gamma_U^2 + gamma_W^2)       heads  sqrt(sum_h gamma_h^2)
/// mha.ntk.realizability, for the direction v of the margin bound and a step t > 0 along it:
/// with B = max_i |Phi(X_i)|, M = max_h (||U_h|| + t ||v_{U,h}||)
///   taylor  t gamma - B - t^2 b2(M) / (2 sqrt H) <= y_i Phi(X_i; theta + t v), per sample
///   loss    L(theta + t v) <= 1/(2n), where the left side of `taylor` is proved >= log(2n)
///
/// Not applicable where gamma > 0 is not proved at the precision of the analysis, except that a proved
/// gamma = 0 has the rungs of mha.ntk.margin. S: Ball or DoubleBall.
/// Note: proofs-notes/ntk.md.
template <class S>
std::vector<RungValues<S>> ntk_claims(const MhaAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> ntk_claim_infos();

extern template std::vector<RungValues<DoubleBall>> ntk_claims(const MhaAnalysis<DoubleBall>&,
                                                               const Wanted&);
extern template std::vector<RungValues<Ball>> ntk_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
