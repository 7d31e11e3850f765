// SPDX-License-Identifier: Apache-2.0
#include "checks/support/claims.hpp"

#include <cmath>
#include <set>

#include "checks/support/compare.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed::checks {
namespace {

using Rungs = std::vector<RungValues<Ball>>;

std::string name(const RungValues<Ball>& r, std::size_t item) {
  const std::string where = r.items[item].where;
  return r.id + " " + r.rung + (where.empty() ? "" : " at " + where);
}

void check_index(const ClaimFamily& family, const Rungs& rungs, Loss loss) {
  std::set<std::string> expected, found;
  for (const ClaimInfo& info : family.infos())
    for (const RungInfo& rung : info.rungs) expected.insert(info.id + " " + rung.name);
  for (const RungValues<Ball>& r : rungs) {
    require(found.insert(r.id + " " + r.rung).second, r.id + " " + r.rung + ": evaluated twice");
    require(r.items.empty() == !r.not_applicable.empty(),
            r.id + " " + r.rung + ": either items or a reason for having none");
    const bool other_loss =
        r.not_applicable == "the loss is exponential" || r.not_applicable == "the loss is logistic";
    if (other_loss)
      require((r.not_applicable == "the loss is exponential") == (loss == Loss::exponential),
              r.id + " " + r.rung + ": wrong reason: " + r.not_applicable);
  }
  // loss.logistic h and h_upper speak of the whole data set and are left out for the other loss.
  for (const std::string& rung : expected)
    require(found.count(rung) == 1 ||
                (loss == Loss::exponential && rung.starts_with("loss.logistic h")),
            rung + ": in the index but not evaluated");
  for (const std::string& rung : found)
    require(expected.count(rung) == 1, rung + ": not in the index");
}

void check_not_refuted(const Rungs& rungs, Tally& tally) {
  for (const RungValues<Ball>& r : rungs)
    for (std::size_t k = 0; k < r.items.size(); ++k) {
      const Verdict v = compare(r.items[k].lhs, r.items[k].rhs);
      ++tally[std::string("at ") + std::to_string(working_precision()) + " bits " +
              to_string(v.kind)];
      if (v.kind == VerdictKind::refuted)
        fail(name(r, k) + ": refuted, " + text(r.items[k].lhs) + " > " + text(r.items[k].rhs));
    }
}

void check_same_numbers(const Rungs& a, const Rungs& b) {
  for (const RungValues<Ball>& r : a) {
    const RungValues<Ball>* other = find_rung(b, r.id, r.rung);
    require(other != nullptr, r.id + " " + r.rung + ": missing at the second precision");
    if (r.items.size() != other->items.size()) {
      // A margin may be certainly >= 0 at one precision only.
      require(r.id == "loss.logistic",
              r.id + " " + r.rung + ": number of items depends on precision");
      continue;
    }
    for (std::size_t k = 0; k < r.items.size(); ++k) {
      require_overlap(name(r, k) + " lhs", r.items[k].lhs, other->items[k].lhs);
      require_overlap(name(r, k) + " rhs", r.items[k].rhs, other->items[k].rhs);
    }
  }
}

void check_ladders(const ClaimFamily& family, const Rungs& rungs) {
  for (const auto& ladder : family.ladders) {
    const RungValues<Ball>* above = nullptr;
    for (const std::string& rung : ladder.rungs) {
      const RungValues<Ball>* r = find_rung(rungs, ladder.id, rung);
      require(r != nullptr, ladder.id + " " + rung + ": missing");
      if (!r->not_applicable.empty()) continue;
      if (above != nullptr)
        for (std::size_t k = 0; k < r->items.size(); ++k)
          if (compare(r->items[k].rhs, above->items[k].rhs).kind == VerdictKind::refuted)
            fail(name(*r, k) + ": exceeds rung " + above->rung + ", " + text(r->items[k].rhs) +
                 " > " + text(above->items[k].rhs));
      above = r;
    }
  }
}

// What cancels in the evaluation of a rung is bounded by the largest right side of its claim.
Ball scale_of(const Rungs& rungs, const std::string& id) {
  Ball scale;
  for (const RungValues<Ball>& r : rungs) {
    if (r.id != id && !(id == "mha.weak_convexity" && r.id == "mha.smoothness")) continue;
    for (const Item<Ball>& item : r.items) scale = max(scale, item.rhs);
  }
  return scale;
}

void check_double(const Rungs& rungs, const std::vector<RungValues<double>>& approximate,
                  Tally& tally) {
  for (const RungValues<Ball>& r : rungs) {
    const RungValues<double>* d = find_rung(approximate, r.id, r.rung);
    require(d != nullptr, r.id + " " + r.rung + ": missing in double");
    if (d->items.size() != r.items.size()) {
      ++tally["double: number of items differs"];
      continue;
    }
    const Ball scale = scale_of(rungs, r.id);
    for (std::size_t k = 0; k < r.items.size(); ++k) {
      const Item<Ball>& item = r.items[k];
      require_close(name(r, k) + " lhs", d->items[k].lhs, item.lhs, scale, 1e-8);
      require_close(name(r, k) + " rhs", d->items[k].rhs, item.rhs, scale, 1e-8);
      // Relative agreement of the ratio is not promised: it is counted.
      const double ratio = approx::to_double(item.lhs / item.rhs);
      const double ratio_d = d->items[k].lhs / d->items[k].rhs;
      if (!std::isfinite(ratio) || !std::isfinite(ratio_d)) {
        ++tally["double ratio: not finite"];
      } else {
        ++tally[std::fabs(ratio - ratio_d) <= 1e-6 * std::fabs(ratio)
                    ? "double ratio: agrees to 1e-6"
                    : "double ratio: flagged"];
        if (ratio_d > 1) ++tally["double ratio: above 1, decided by enclosures"];
      }
    }
  }
}

}  // namespace

bool every_rung(const std::string&, const std::string&) { return true; }

void check_family(const ClaimFamily& family, const MhaInstance& m, Tally& tally) {
  Rungs fine;
  {
    const PrecisionScope scope(320);
    fine = family.enclosed(MhaAnalysis<Ball>(m), every_rung);
    check_not_refuted(fine, tally);
  }
  const Rungs rungs = family.enclosed(MhaAnalysis<Ball>(m), every_rung);
  check_index(family, rungs, m.loss);
  check_not_refuted(rungs, tally);
  check_same_numbers(rungs, fine);
  check_ladders(family, rungs);
  if (is_tame(m)) {
    ++tally["tame instances, compared with double"];
    check_double(rungs, family.approximate(MhaAnalysis<double>(m), every_rung), tally);
  }
}

}  // namespace heed::checks
