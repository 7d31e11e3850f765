// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// The tokenized mixture (mixture.hpp) at weights U_h = s_h 1 ubar^T, W_h = 0, where one gradient step
/// from zero leads; c^2 = mean_h s_h^2, gamma the NTK margin, C the covariance of the tokens of X:
///
/// mha.dm1.kernel, exactly, for any tokens and ubar:
///   exact        K(X, X') = T xbar . xbar' + c^2 T^2 (xbar . xbar') ((C ubar) . (C' ubar))
/// mha.dm1.margin, without noise and with ubar = (zeta/2) (mu_+ - mu_-), for
///   gamma_*^2 = T zeta^2 S^2 / 2 + (c^2/4) T^2 zeta^4 (1 - zeta)^2 S^8
///                                  [(zeta^2/2)(1 + 1/M) + (1 - zeta)^2 (1/(2M) + 1/M^2)]
///   lower        gamma_* <= gamma
///   upper        gamma <= gamma_*, if each label has a sample with every nuisance equally often
/// mha.dm1.margin_U, for any tokens besides mu_y, with W = 0 and any U, w = (mu_+ - mu_-) / (sqrt 2 S):
///   token        sqrt T (zeta S / sqrt 2 - (1 - zeta) max_x max(0, -y x . w)) <= gamma
/// mha.dm1.margin_noise, with mu_+ and mu_- on coordinate axes and that ubar:
///   lipschitz    gamma_* - max_i ||psi_i - psi_i^clean|| <= gamma
///
/// S: Ball or DoubleBall. Cost: exact sums over n^2 P terms for `kernel` (not applicable beyond 10^7).
/// Precondition: a is an analysis of the instance. Note: proofs-notes/dm1.md.
template <class S>
std::vector<RungValues<S>> dm1_claims(const MhaInstance& instance, const MhaAnalysis<S>& a,
                                      const Wanted& wanted);

std::vector<ClaimInfo> dm1_claim_infos();

/// gamma_*^2 above.
Rational dm1_margin_squared(long T, const Rational& zeta, const Rational& S2, const Rational& c2,
                            long M);

extern template std::vector<RungValues<DoubleBall>> dm1_claims(const MhaInstance&,
                                                               const MhaAnalysis<DoubleBall>&,
                                                               const Wanted&);
extern template std::vector<RungValues<Ball>> dm1_claims(const MhaInstance&,
                                                         const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
