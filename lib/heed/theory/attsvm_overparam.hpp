// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed {

/// The rungs of attsvm.feasible_overparam and attsvm.feasible_iff_vertex, all exact; see
/// attsvm_landscape.hpp.
template <class S>
void add_overparam(const QueryAnalysis<S>& a, const Wanted& wanted,
                   std::vector<RungValues<S>>& all);

extern template void add_overparam(const QueryAnalysis<DoubleBall>&, const Wanted&,
                                   std::vector<RungValues<DoubleBall>>&);
extern template void add_overparam(const QueryAnalysis<Ball>&, const Wanted&,
                                   std::vector<RungValues<Ball>>&);

}  // namespace heed
