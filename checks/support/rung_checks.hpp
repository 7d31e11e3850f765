// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "checks/support/property.hpp"
#include "heed/numeric/double_ball.hpp"
#include "heed/theory/claim.hpp"

namespace heed::checks {

/// The rungs of a family as evaluated in doubles, and at the working precision, against its index:
/// once each, with items or a reason for having none; in doubles, at 128 and at 400 bits none is
/// refuted, and all enclose the same numbers.
void check_rungs(const std::vector<ClaimInfo>& infos,
                 const std::function<std::vector<RungValues<DoubleBall>>()>& doubles,
                 const std::function<std::vector<RungValues<Ball>>()>& balls, Tally& tally);

}  // namespace heed::checks
