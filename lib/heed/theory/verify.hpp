// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/theory/decision.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

struct VerifyReport {
  std::vector<ClaimResult> claims;
  std::vector<IdentityResult> identities;
  /// Analysis of the last tier, for the quantities of a report; one of the two is there.
  std::unique_ptr<MhaAnalysis<DoubleBall>> double_analysis;
  std::unique_ptr<MhaAnalysis<Ball>> analysis;
  int bits = 0;               ///< of the last tier; double_bits if nothing needed a Ball
  bool budget_ended = false;  ///< some digits or verdicts are missing because the budget ended
};

/// What a report says of an instance besides its claims.
struct InstanceQuantities {
  Ball loss, mean_slope, sqrt_heads;
  WeightNorms<Ball> norms;
  std::vector<TokenGeometry<Ball>> geometry;
  std::string reduction;  ///< MhaAnalysis::reduction_note
};

/// From the analysis that the report holds. Cost: geometry, unless a claim has asked for it.
InstanceQuantities quantities(const VerifyReport& report);

/// Evaluates every claim on an instance with weights: first in DoubleBall, which may prove or refute
/// (53 bits; large shapes by the kernels and compressed forms of a lean MhaAnalysis), then in Ball,
/// doubling the precision for the rungs that are undecided or lack digits until all are settled or
/// the budget ends. Balls are not touched if the first tier settles all.
///
/// Guarantee: `proved` and `refuted` follow from enclosures alone. An inequality whose sides agree to
/// max(60, 2 digits) digits at two successive precisions ends as undecided with `equality` set; one
/// of whose sides is not known even in size at 2 zero_bits ends as undecided. For large shapes, where an
/// eigenvalue in balls takes minutes, sides that overlap in the first tier and share a quantity are decided by
/// their difference where that has a known sign (ClaimResult::by_difference).
/// Note: proofs-notes/decision.md.
VerifyReport verify(const MhaInstance& instance, const Budget& budget);

}  // namespace heed
