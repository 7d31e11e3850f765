// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/margin/nuclear_bracket.hpp"
#include "heed/theory/decision.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/query_facts.hpp"

namespace heed {

struct QueryVerifyReport {
  std::vector<ClaimResult> claims;
  std::vector<IdentityResult> identities;
  std::shared_ptr<const QueryFacts> facts;  ///< margins, scores and hypotheses, exactly
  std::optional<Ball> loss;                 ///< at the point, if there is one
  int bits = 0;               ///< of the last tier; double_bits if nothing needed a Ball
  bool budget_ended = false;  ///< some digits or verdicts are missing because the budget ended
};

/// Evaluates every claim on an instance of query attention at one of its points; without a point the
/// pointwise claims are not applicable. The margins and hypotheses are exact and computed once, the
/// nuclear bracket to budget.digits (it is left out for infeasible problems); then DoubleBall and Ball
/// as for verify(MhaInstance).
///
/// Guarantee: as for verify(MhaInstance). No claim says that a method reaches the optimal tokens: that
/// does not follow from the hypotheses here (attsvm_landscape.md has a counterexample).
/// Errors: std::invalid_argument if there are points and `point` is not one of them.
/// Note: proofs-notes/decision.md.
QueryVerifyReport verify(const QueryInstance& instance, std::size_t point, const Budget& budget);

}  // namespace heed
