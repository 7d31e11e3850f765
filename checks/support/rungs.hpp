// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/claim.hpp"

namespace heed::checks {

/// Fails unless the rungs are those of the index, each once and with items or a reason for having
/// none, and no item is refuted. Counts where each applies.
template <class S>
void require_rungs(const std::vector<ClaimInfo>& infos, const std::vector<RungValues<S>>& rungs,
                   Tally& tally) {
  std::set<std::string> expected, found;
  for (const ClaimInfo& info : infos)
    for (const RungInfo& rung : info.rungs) expected.insert(info.id + " " + rung.name);
  for (const RungValues<S>& r : rungs) {
    const std::string name = r.id + " " + r.rung;
    require(found.insert(name).second, name + ": evaluated twice");
    require(r.items.empty() == !r.not_applicable.empty(), name + ": neither items nor a reason");
    ++tally[name + (r.items.empty() ? ": not applicable" : ": applies")];
    for (const Item<S>& item : r.items) {
      const Ball lhs = to_ball(item.lhs), rhs = to_ball(item.rhs);
      if (compare(lhs, rhs).kind == VerdictKind::refuted)
        fail(name + " " + item.where + ": refuted, " + text(lhs) + " > " + text(rhs));
    }
  }
  require(found == expected, "the rungs are not those of the index");
}

}  // namespace heed::checks
