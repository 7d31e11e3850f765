// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/decision.hpp"

#include <algorithm>

namespace heed {
namespace {

int equality_digits(const Budget& budget) { return std::max(60, 2 * budget.digits); }

bool unknown_size(const Ball& x) { return !x.is_finite() || lost_in_zero(x); }

bool vanishes(const Ball& x, int digits) {
  return certainly(less_equal(abs(x), power_of_ten(-digits)));
}

// Larger lhs / rhs by midpoints; a side 0 over 0 counts as 0.
bool tighter(const ItemResult& a, const ItemResult& b) {
  if (approx::sign(a.lhs) == 0 && approx::sign(a.rhs) == 0) return approx::sign(b.lhs) != 0;
  const PrecisionScope scope(64);
  return approx::less(abs(a.lhs.midpoint()) * abs(b.rhs.midpoint()),
                      abs(b.lhs.midpoint()) * abs(a.rhs.midpoint()));
}

}  // namespace

Wanted Decisions::wanted() const {
  return [this](const std::string& id, const std::string& rung) {
    const auto it = progress_.find({id, rung});
    return it == progress_.end() || !it->second.settled();
  };
}

void Decisions::update(const std::vector<RungValues<Ball>>& values, const Tier& tier) {
  const Wanted is_wanted = wanted();
  for (const RungValues<Ball>& rung : values) {
    if (!is_wanted(rung.id, rung.rung)) continue;
    const Key key{rung.id, rung.rung};
    const auto [it, added] = progress_.try_emplace(key);
    if (added) order_.push_back(key);
    update(it->second, rung, tier);
  }
}

bool Decisions::all_settled(const std::function<bool(const std::string& id)>& except) const {
  return std::all_of(progress_.begin(), progress_.end(), [&](const auto& p) {
    return p.second.settled() || (except && except(p.first.first));
  });
}

std::vector<ClaimResult> Decisions::results() const {
  std::vector<ClaimResult> all;
  for (const Key& key : order_) all.push_back(progress_.at(key).result);
  return all;
}

void Decisions::update(Progress& p, const RungValues<Ball>& values, const Tier& tier) const {
  p.result.id = values.id;
  p.result.rung = values.rung;
  p.result.hypotheses = values.hypotheses;
  p.result.items = values.items.size();
  if (tier.first && !values.complete) return;
  if (!values.not_applicable.empty()) {
    p.result.verdict = {VerdictKind::not_applicable, values.not_applicable, working_precision(),
                        false};
    p.decided = p.digits_known = true;
    return;
  }
  std::vector<ItemResult> items;
  for (const Item<Ball>& item : values.items) {
    const auto proved = [](const char* reason) {
      return Verdict{VerdictKind::proved, reason, working_precision(), false};
    };
    Verdict v = values.reflexive ? proved("both sides are the same quantity")
                : item.exact     ? proved("decided in exact arithmetic")
                                 : compare(item.lhs, item.rhs);
    items.push_back({std::move(v), item.lhs, item.rhs, item.where});
  }
  decide(p, items, tier);
  if (!p.decided && tier.by_difference && !values.difference.empty()) {
    Verdict& v = p.result.verdict;
    v.equality = values.difference_is_zero;
    if (!v.equality) v.kind = VerdictKind::proved;
    v.reason = (v.equality ? "equality: " : "") + values.difference;
    p.result.by_difference = p.decided = true;
  }
  show(p, values, std::move(items));
}

void Decisions::decide(Progress& p, const std::vector<ItemResult>& items, const Tier& tier) const {
  const int digits = equality_digits(budget_);
  std::size_t proved = 0, open_equal = 0, open = 0, refuted = 0;
  int agreed = 1 << 30;
  bool vanishing = false, hopeless = true;
  for (const ItemResult& item : items) {
    proved += item.verdict.kind == VerdictKind::proved ? 1 : 0;
    refuted += item.verdict.kind == VerdictKind::refuted ? 1 : 0;
    if (item.verdict.kind != VerdictKind::undecided) continue;
    ++open;
    hopeless = hopeless && (unknown_size(item.lhs) || unknown_size(item.rhs));
    const int k = agreeing_digits(item.lhs, item.rhs, working_precision());
    if (k >= digits) {
      ++open_equal;
      agreed = std::min(agreed, k);
    } else if (working_precision() >= budget_.zero_bits &&
               (lost_in_zero(item.lhs) || lost_in_zero(item.rhs)) && vanishes(item.lhs, digits) &&
               vanishes(item.rhs, digits)) {
      ++open_equal;
      vanishing = true;
    }
  }
  const bool all_equal = !tier.first && open > 0 && open == open_equal;
  const bool equality = refuted == 0 && all_equal && (p.equal_before || vanishing);
  p.equal_before = all_equal;
  if (p.decided && p.result.verdict.kind != VerdictKind::undecided) return;
  Verdict& v = p.result.verdict;
  v.bits = working_precision();
  if (refuted > 0) {
    v.kind = VerdictKind::refuted;
  } else if (!items.empty() && proved == items.size()) {
    v.kind = VerdictKind::proved;
    v.reason = items.front().verdict.reason;
  } else if (equality) {
    v.equality = true;
    v.reason = vanishing ? "equality: both sides are 0 to " + std::to_string(digits) + " digits"
                         : "equality to " + std::to_string(agreed) + " digits";
  } else if (!tier.first && hopeless && working_precision() >= 2 * budget_.zero_bits) {
    v.reason = "a side is not known even in size at " + std::to_string(v.bits) + " bits";
  } else {
    v.reason = "enclosures overlap at " + std::to_string(v.bits) + " bits";
    return;
  }
  p.decided = true;
}

void Decisions::show(Progress& p, const RungValues<Ball>& values,
                     std::vector<ItemResult> items) const {
  if (items.empty()) return;
  std::size_t worst = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const bool better_kind = p.result.verdict.kind == VerdictKind::refuted &&
                             items[k].verdict.kind == VerdictKind::refuted &&
                             items[worst].verdict.kind != VerdictKind::refuted;
    if (better_kind || tighter(items[worst], items[k])) worst = k;
  }
  p.result.shown = items[worst];
  const auto known = [&](const ItemResult& i) {
    return has_digits(i.lhs, budget_) && has_digits(i.rhs, budget_);
  };
  p.digits_known = values.bracketed || known(p.result.shown);
  if (values.per_sample) {
    p.digits_known = p.digits_known && std::all_of(items.begin(), items.end(), known);
    p.result.per_sample = std::move(items);
  }
}

RungValues<Ball> in_balls(RungValues<Ball> r) { return r; }

RungValues<Ball> in_balls(RungValues<DoubleBall> r) {
  RungValues<Ball> b{std::move(r.id),
                     std::move(r.rung),
                     {},
                     std::move(r.hypotheses),
                     r.per_sample,
                     r.reflexive,
                     std::move(r.not_applicable),
                     r.complete,
                     std::move(r.difference),
                     r.difference_is_zero,
                     r.bracketed};
  for (Item<DoubleBall>& i : r.items)
    b.items.push_back({to_ball(i.lhs), to_ball(i.rhs), std::move(i.where), i.exact});
  return b;
}

int exit_status(const std::vector<ClaimResult>& claims) {
  bool proved = false, open = false;
  for (const ClaimResult& c : claims) {
    if (c.verdict.kind == VerdictKind::refuted) return 1;
    open = open || (c.verdict.kind == VerdictKind::undecided && !c.verdict.equality);
    proved = proved || c.verdict.kind == VerdictKind::proved;
  }
  return open || !proved ? 2 : 0;
}

}  // namespace heed
