// SPDX-License-Identifier: Apache-2.0
#include "checks/support/rung_checks.hpp"

#include <set>

#include "checks/support/compare.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/decision.hpp"

namespace heed::checks {
namespace {

using Rungs = std::vector<RungValues<Ball>>;

std::string name(const RungValues<Ball>& r) { return r.id + " " + r.rung; }

Rungs in_balls(const std::vector<RungValues<DoubleBall>>& all) {
  Rungs balls;
  for (const RungValues<DoubleBall>& r : all) {
    RungValues<Ball> b{r.id,        r.rung,           {},        r.hypotheses, r.per_sample,
                       r.reflexive, r.not_applicable, r.complete};
    for (const Item<DoubleBall>& i : r.items)
      b.items.push_back({to_ball(i.lhs), to_ball(i.rhs), i.where, i.exact});
    balls.push_back(std::move(b));
  }
  return balls;
}

void check_index(const std::vector<ClaimInfo>& infos, const Rungs& rungs) {
  std::set<std::string> expected, found;
  for (const ClaimInfo& info : infos)
    for (const RungInfo& rung : info.rungs) expected.insert(info.id + " " + rung.name);
  for (const RungValues<Ball>& r : rungs) {
    require(found.insert(name(r)).second, name(r) + ": evaluated twice");
    require(r.items.empty() == !r.not_applicable.empty(),
            name(r) + ": either items or a reason for having none");
    for (const Hypothesis& h : r.hypotheses)
      require(h.status == "proved" || !r.not_applicable.empty(),
              name(r) + ": evaluated although not proved: " + h.text);
  }
  require(expected == found, "the rungs are not those of the index");
}

void check_not_refuted(const Rungs& rungs, const std::string& tier, Tally& tally) {
  for (const RungValues<Ball>& r : rungs) {
    if (!r.not_applicable.empty()) ++tally[name(r) + ": not applicable"];
    bool proved = !r.items.empty(), equal = true;
    for (const Item<Ball>& i : r.items) {
      const Verdict v = compare(i.lhs, i.rhs);
      if (v.kind == VerdictKind::refuted)
        fail(name(r) + " " + i.where + " in " + tier + ": refuted, " + text(i.lhs) + " > " +
             text(i.rhs) + (i.exact ? ", though decided exactly" : ""));
      if (i.exact || v.kind == VerdictKind::proved) continue;
      proved = false;
      equal = equal && agreeing_digits(i.lhs, i.rhs, working_precision()) >= 60;
    }
    if (!r.items.empty())
      ++tally[name(r) + ": " + (proved ? "proved" : equal ? "equal" : "open") + " in " + tier];
  }
}

// A rung that stands at two precisions has the same items, with the same numbers.
void check_same_numbers(const Rungs& a, const Rungs& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    require(name(a[k]) == name(b[k]), name(a[k]) + ": order depends on precision");
    if (!a[k].not_applicable.empty() || !b[k].not_applicable.empty()) continue;
    for (const Item<Ball>& x : a[k].items)
      for (const Item<Ball>& y : b[k].items) {
        if (x.where != y.where) continue;
        require_overlap(name(a[k]) + " " + x.where + " lhs", x.lhs, y.lhs);
        require_overlap(name(a[k]) + " " + x.where + " rhs", x.rhs, y.rhs);
      }
  }
}

}  // namespace

void check_rungs(const std::vector<ClaimInfo>& infos,
                 const std::function<std::vector<RungValues<DoubleBall>>()>& doubles,
                 const std::function<std::vector<RungValues<Ball>>()>& balls, Tally& tally) {
  const Rungs first = in_balls(doubles()), coarse = balls();
  check_index(infos, first);
  check_index(infos, coarse);
  check_not_refuted(first, "doubles", tally);
  check_not_refuted(coarse, "128 bits", tally);
  check_same_numbers(first, coarse);
  const PrecisionScope scope(400);
  const Rungs fine = balls();
  check_not_refuted(fine, "400 bits", tally);
  check_same_numbers(first, fine);
  check_same_numbers(coarse, fine);
}

}  // namespace heed::checks
