// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/identities.hpp"

#include <algorithm>
#include <set>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"

namespace heed::checks {
namespace {

const std::set<std::string> ids{"I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "loss.a"};

// Whether the hypothesis of an identity holds, judged without the library where that is easy.
bool must_apply(const std::string& id, const MhaInstance& m) {
  const auto single = [](const auto& x) { return x.rows() == 1; };
  if (id == "I7") return std::any_of(m.X.begin(), m.X.end(), single);
  if (id == "loss.a") return m.loss == Loss::logistic;
  // Differences of tokens span R^d only if there are at least d of them.
  std::size_t differences = 0;
  for (const auto& x : m.X) differences += x.rows() - 1;
  if (id == "I6") return differences < m.dim();
  return true;
}

bool may_apply(const std::string& id, const MhaInstance& m) {
  return id == "I6" || must_apply(id, m);
}

void consistent(const MhaInstance& m, Tally& tally) {
  for (const int bits : {53, 128, 300}) {
    const PrecisionScope scope(bits);
    std::set<std::string> seen;
    for (const IdentityResult& r : check_identities(m, MhaAnalysis<Ball>(m))) {
      const std::string at = r.id + " at " + std::to_string(bits) + " bits";
      require(seen.insert(r.id).second, at + ": reported twice");
      require(r.status != "inconsistent", at + ": inconsistent, deviation " + text(r.deviation));
      const bool applies = r.status == "consistent";
      require(applies || r.status == "not_applicable", at + ": unknown status " + r.status);
      require(applies == (r.comparisons > 0) || r.reason.find("not finite") != std::string::npos,
              at + ": consistent without a comparison, or the other way round");
      require(applies || !r.reason.empty(), at + ": not applicable without a reason");
      require(!applies || may_apply(r.id, m), at + ": applied though its hypothesis fails");
      if (!applies && must_apply(r.id, m)) {
        require(r.reason.find("not finite") != std::string::npos,
                at + ": not applied: " + r.reason);
        ++tally[r.id + ": value not finite"];
      }
      if (applies) ++tally[r.id + ": consistent"];
      // A deviation as wide as the numbers themselves would be consistent with anything.
      if (applies && bits == 300 && is_tame(m))
        require(certainly(less_equal(r.deviation, Ball(1e-40))),
                at + ": deviation " + text(r.deviation));
    }
    require(seen == ids, "an identity is missing at " + std::to_string(bits) + " bits");
  }
}

}  // namespace

std::vector<Property> identities_properties() {
  return {{"identities.consistent",
           "I1 .. I8 and p = 1 - e^-l are consistent exactly where their hypotheses hold",
           draw_instance,
           300,
           consistent,
           {}}};
}

}  // namespace heed::checks
