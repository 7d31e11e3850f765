// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed {

/// attsvm.kq_variational, W = K Q^T:
///   factors  ||W||_* <= (||K||_F^2 + ||Q||_F^2)/2,  equality where K^T K = Q^T Q
/// Note: proofs-notes/attsvm_factors.md.
template <class S>
std::vector<RungValues<S>> attsvm_factors_claims(const QueryAnalysis<S>& a, const Wanted& wanted);

std::vector<ClaimInfo> attsvm_factors_claim_infos();

/// Identities of the model at W, evaluated in enclosures:
///   attsvm.kq_balance  one step K+ = K - G Q, Q+ = Q - G^T K moves K^T K - Q^T Q by
///                      Q^T G^T G Q - K^T G G^T K
///   attsvm.gradient    <grad L, W_mm> by the matrix and by the sum over pairs of tokens
/// Cost: some products of d x d matrices.
template <class S>
std::vector<IdentityResult> check_query_identities(const QueryAnalysis<S>& a);

extern template std::vector<RungValues<DoubleBall>> attsvm_factors_claims(
    const QueryAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> attsvm_factors_claims(const QueryAnalysis<Ball>&,
                                                                    const Wanted&);
extern template std::vector<IdentityResult> check_query_identities(
    const QueryAnalysis<DoubleBall>&);
extern template std::vector<IdentityResult> check_query_identities(const QueryAnalysis<Ball>&);

}  // namespace heed
