// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// With lam(s, k) = (k + sqrt(k^2 + 4 s^2))/2 and c3 = 1/(6 sqrt 3):
///
/// mha.hessian_bound, per sample i:  ||hess Phi(X_i)|| is at most H^{-1/2} times
///   paper  beta2 (unverified wording)        worst  b2 = lam(sqrt(T) R^3, 8 c3 sqrt(T) R^5 M_U)
///   geom   max_h lam(sigma (D/2)^2, c3 D^3 lambda_max(X^T diag(||u_t||) X))
///   state  max_h lam(sqrt(lambda_max(X^T diag(c_t^2) X)), lambda_max(X^T diag(||K_t||) X))
///   exact  max_h ||hess phi_h(X_i)||
/// mha.weak_convexity:  max(0, -lambda_min(hess L)) is at most
///   paper        beta2 L / sqrt H            worst_1mexp  b2 (1 - exp(-L)) / sqrt H
///   worst_G      b2 G / sqrt H
///   geom, state, hessnorm   H^{-1/2} max_h (1/n) sum_i p_i bound_{i,h}
///   block        max(0, -min_h lambda_min(block h of (1/n) sum_i l'_i y_i hess Phi(X_i)))
///   exact        max(0, -lambda_min(hess L))
/// mha.smoothness:  ||hess L|| is at most
///   paper  beta1^2/4 + beta2/sqrt H          worst  b1^2/4 + b2/sqrt H
///   worst_G  (b1^2 + b2/sqrt H) G            geom  (1/n) sum_i l''_i geom_i^2 + weak-convexity geom
///   gram   lambda_max(J J^T) + weak-convexity hessnorm,   exact  ||hess L||
/// Note: proofs-notes/mha_hessian.md.
template <class S>
std::vector<RungValues<S>> mha_hessian_claims(const MhaAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> mha_hessian_claim_infos();

/// kappa_hat = max(0, -lambda_min) sqrt(H) / L and kappa_hat_G with G in place of L; theory: <= b2.
template <class S>
struct CurvatureRatios {
  S kappa_hat, kappa_hat_G;
};
template <class S>
CurvatureRatios<S> curvature_ratios(const MhaAnalysis<S>& a);
/// The same from lambda_min, sqrt(H), L and G.
template <class S>
CurvatureRatios<S> curvature_ratios_of(const S& least, const S& sqrt_heads, const S& loss,
                                       const S& mean_slope);

extern template std::vector<RungValues<double>> mha_hessian_claims(const MhaAnalysis<double>&,
                                                                   const Wanted&);
extern template std::vector<RungValues<DoubleBall>> mha_hessian_claims(
    const MhaAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> mha_hessian_claims(const MhaAnalysis<Ball>&,
                                                                 const Wanted&);
extern template CurvatureRatios<double> curvature_ratios(const MhaAnalysis<double>&);
extern template CurvatureRatios<DoubleBall> curvature_ratios(const MhaAnalysis<DoubleBall>&);
extern template CurvatureRatios<DoubleBall> curvature_ratios_of(const DoubleBall&,
                                                                const DoubleBall&,
                                                                const DoubleBall&,
                                                                const DoubleBall&);
extern template CurvatureRatios<Ball> curvature_ratios(const MhaAnalysis<Ball>&);

}  // namespace heed
