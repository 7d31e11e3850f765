// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checks/support/property.hpp"
#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed::checks {

/// The functions of one family of claims about query attention.
struct QueryClaimFamily {
  template <class S>
  using Evaluate = std::vector<RungValues<S>> (*)(const QueryAnalysis<S>&, const Wanted&);

  Evaluate<Ball> balls;
  Evaluate<DoubleBall> doubles;
  std::vector<ClaimInfo> (*infos)();
  bool nuclear = false;  ///< with a bracket of the nuclear norm
};

/// The facts of an instance, with the bracket if asked for and found.
std::shared_ptr<const QueryFacts> query_facts(const QueryInstance& instance, bool nuclear);

/// The point of the instance and points about multiples of W_mm of the optimal (or selected) tokens, of
/// both signs: there the bounds are tight and the gradient in plain form loses its digits.
std::vector<QueryPoint> query_points(const QueryInstance& instance, const QueryFacts& facts);

/// What holds for every family at every point, and without a point:
///   the rungs are those of the index, once each, with items or a reason for having none;
///   in doubles, at 128 and at 400 bits no rung is refuted, and all enclose the same numbers;
///   what was decided exactly agrees with the enclosures.
void check_query_family(const QueryClaimFamily& family, const QueryInstance& instance,
                        Tally& tally);

}  // namespace heed::checks
