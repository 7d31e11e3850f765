// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// What the claims about the loss are made of.
template <class S>
struct LossValues {
  Loss kind;
  std::vector<S> margins;           ///< y_i Phi(X_i)
  std::vector<LossTerms<S>> terms;  ///< at the margins
  S loss, mean_slope;               ///< L and G
};

/// At the weights of an instance, at the working precision: values of Phi only, 2 T^2 d + T d^2
/// multiplications a sample and head. Precondition: require_weights.
LossValues<Ball> loss_values(const MhaInstance& instance);

/// loss.logistic at the margins t_i of an instance, with l = log(1 + e^{-t}), p = |l'|:
///   b        p <= min(1, l)                 c        l'' <= min(1/4, p)
///   c_loss   min(1/4, p) <= l               d        l / (1 + l) <= p
///   d_right  l / (2 log 2) <= p, t >= 0     e        p^2 <= l / 2
///   f        |l'''| <= min(l'', 1/(6 sqrt 3))
///   g_lower  e^{-t}/2 <= l, t >= 0          g_upper  l <= e^{-t}
///   h        G <= 1 - exp(-L)               h_upper  1 - exp(-L) <= min(1, L)
/// loss.exponential, l = e^{-t} = p = l'' = |l'''|: rungs b, c, d, f of the same form without the
/// constants 1, 1/4, 1/(6 sqrt 3).
///
/// The claim of the other loss is reported as not applicable. Note: proofs-notes/loss.md.
template <class S>
std::vector<RungValues<S>> loss_claims(const MhaAnalysis<S>& a, const Wanted& wanted);
std::vector<RungValues<Ball>> loss_claims(const LossValues<Ball>& values, const Wanted& wanted);

/// The index entries.
std::vector<ClaimInfo> loss_claim_infos();

extern template std::vector<RungValues<double>> loss_claims(const MhaAnalysis<double>&,
                                                            const Wanted&);
extern template std::vector<RungValues<DoubleBall>> loss_claims(const MhaAnalysis<DoubleBall>&,
                                                                const Wanted&);
extern template std::vector<RungValues<Ball>> loss_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
