// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// moment.third on every attention row a_t of every head and sample, with f = v_t, g = z_t of ranges
/// F = max f - min f and Q = max g - min g:
///   third       |E[(f - Ef)(g - Eg)^2]| <= F Q^2 / (6 sqrt 3)      (sharp)
///   variance    Var(g) <= Q^2 / 4
///   covariance  |Cov(f, g)| <= F Q / 4
/// Note: proofs-notes/moment.md.
template <class S>
std::vector<RungValues<S>> moment_claims(const MhaAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> moment_claim_infos();

extern template std::vector<RungValues<double>> moment_claims(const MhaAnalysis<double>&,
                                                              const Wanted&);
extern template std::vector<RungValues<DoubleBall>> moment_claims(const MhaAnalysis<DoubleBall>&,
                                                                  const Wanted&);
extern template std::vector<RungValues<Ball>> moment_claims(const MhaAnalysis<Ball>&,
                                                            const Wanted&);

}  // namespace heed
