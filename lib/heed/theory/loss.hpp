// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

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

/// The index entries.
std::vector<ClaimInfo> loss_claim_infos();

extern template std::vector<RungValues<double>> loss_claims(const MhaAnalysis<double>&,
                                                            const Wanted&);
extern template std::vector<RungValues<DoubleBall>> loss_claims(const MhaAnalysis<DoubleBall>&,
                                                                const Wanted&);
extern template std::vector<RungValues<Ball>> loss_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
