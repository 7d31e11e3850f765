// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checks/support/property.hpp"
#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed::checks {

/// The functions of one family of claims, and the ladders whose rungs may only decrease.
struct ClaimFamily {
  template <class S>
  using Evaluate = std::vector<RungValues<S>> (*)(const MhaAnalysis<S>&, const Wanted&);

  Evaluate<Ball> enclosed;
  Evaluate<double> approximate;
  std::vector<ClaimInfo> (*infos)();
  struct Ladder {
    std::string id;
    std::vector<std::string> rungs;  ///< from weak to strong
  };
  std::vector<Ladder> ladders;
};

/// What holds for every family on every instance:
///   the rungs are those of the index, once each, and not_applicable only for a stated reason;
///   no rung is refuted at 128 or 320 bits, and both enclose the same numbers;
///   every ladder decreases;
///   on tame instances the double evaluation agrees with the enclosures to 1e-8 of what may cancel.
void check_family(const ClaimFamily& family, const MhaInstance& instance, Tally& tally);

/// All rungs, to pass as Wanted.
bool every_rung(const std::string& id, const std::string& rung);

/// The rung of a list; nullptr if it is not there.
template <class S>
const RungValues<S>* find_rung(const std::vector<RungValues<S>>& all, const std::string& id,
                               const std::string& rung) {
  for (const RungValues<S>& r : all)
    if (r.id == id && r.rung == rung) return &r;
  return nullptr;
}

}  // namespace heed::checks
