// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/verify.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "heed/theory/dm1.hpp"
#include "heed/theory/loss.hpp"
#include "heed/theory/mha_grad.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/theory/moment.hpp"
#include "heed/theory/ntk.hpp"

namespace heed {
namespace {

using Key = std::pair<std::string, std::string>;

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
                     r.difference_is_zero};
  for (Item<DoubleBall>& i : r.items)
    b.items.push_back({to_ball(i.lhs), to_ball(i.rhs), std::move(i.where)});
  return b;
}

template <class S>
std::vector<RungValues<Ball>> evaluate_claims(const MhaInstance& instance, const MhaAnalysis<S>& a,
                                              const Wanted& wanted) {
  using Family = std::vector<RungValues<S>> (*)(const MhaAnalysis<S>&, const Wanted&);
  const Family families[] = {&loss_claims<S>, &moment_claims<S>, &mha_grad_claims<S>,
                             &mha_hessian_claims<S>, &ntk_claims<S>};
  std::vector<RungValues<Ball>> all;
  const auto add = [&](std::vector<RungValues<S>> rungs) {
    for (RungValues<S>& r : rungs)
      if (wanted(r.id, r.rung)) all.push_back(in_balls(std::move(r)));
  };
  for (const Family family : families) add(family(a, wanted));
  add(dm1_claims<S>(instance, a, wanted));
  return all;
}

std::vector<RungValues<Ball>> evaluate_claims(const LossValues<Ball>& values,
                                              const Wanted& wanted) {
  std::vector<RungValues<Ball>> all;
  for (RungValues<Ball>& r : loss_claims(values, wanted))
    if (wanted(r.id, r.rung)) all.push_back(std::move(r));
  return all;
}

template <class S>
InstanceQuantities quantities_of(const MhaAnalysis<S>& a) {
  const WeightNorms<S>& w = a.norms();
  InstanceQuantities q{to_ball(a.loss()),
                       to_ball(a.mean_slope()),
                       to_ball(a.sqrt_heads()),
                       {to_ball(w.R), to_ball(w.M_U), to_ball(w.mean_U2), to_ball(w.theta_2inf)},
                       {},
                       a.reduction_note()};
  for (std::size_t i = 0; i < a.samples(); ++i) {
    const TokenGeometry<S>& g = a.geometry(i);
    q.geometry.push_back({to_ball(g.r), to_ball(g.sigma), to_ball(g.D)});
  }
  return q;
}

// Nothing was left open but for identities that do not concern the instance.
bool all_known(const std::vector<IdentityResult>& identities) {
  return std::all_of(identities.begin(), identities.end(), [](const IdentityResult& i) {
    return i.status != "not_applicable" || i.comparisons == 0;
  });
}

int equality_digits(const Budget& budget) { return std::max(60, 2 * budget.digits); }

bool unknown_size(const Ball& x) { return !x.is_finite() || lost_in_zero(x); }

bool vanishes(const Ball& x, int digits) {
  return certainly(less_equal(abs(x), power_of_ten(-digits)));
}

// Larger lhs / rhs by midpoints; a side 0 over 0 counts as 0.
bool tighter(const ItemResult& a, const ItemResult& b) {
  const PrecisionScope scope(64);
  return approx::less(abs(a.lhs.midpoint()) * abs(b.rhs.midpoint()),
                      abs(b.lhs.midpoint()) * abs(a.rhs.midpoint()));
}

/// One rung over successive precisions.
class Progress {
 public:
  explicit Progress(const Budget& budget) : budget_(budget) {}

  /// In the first tier a rung is proved, refuted or not applicable, or it is left to the next one.
  /// `by_difference`: sides that overlap may be decided by what is known of their difference.
  void update(const RungValues<Ball>& values, bool first_tier, bool by_difference) {
    result_.id = values.id;
    result_.rung = values.rung;
    result_.hypotheses = values.hypotheses;
    result_.items = values.items.size();
    if (first_tier && !values.complete) return;
    if (!values.not_applicable.empty()) {
      result_.verdict = {VerdictKind::not_applicable, values.not_applicable, working_precision(),
                         false};
      decided_ = digits_known_ = true;
      return;
    }
    std::vector<ItemResult> items;
    for (const Item<Ball>& item : values.items) {
      Verdict v = values.reflexive
                      ? Verdict{VerdictKind::proved, "both sides are the same quantity",
                                working_precision(), false}
                      : compare(item.lhs, item.rhs);
      items.push_back({std::move(v), item.lhs, item.rhs, item.where});
    }
    decide(items, first_tier);
    if (!decided_ && by_difference && !values.difference.empty()) decide_by_difference(values);
    show(values, std::move(items));
  }

  bool settled() const { return decided_ && digits_known_; }
  bool decided() const { return decided_; }
  const ClaimResult& result() const { return result_; }

 private:
  void decide(std::vector<ItemResult>& items, bool first_tier) {
    const int digits = equality_digits(budget_);
    std::size_t proved = 0, open_equal = 0, open = 0, refuted = 0;
    int agreed = 1 << 30;
    bool vanishing = false, hopeless = true;
    for (ItemResult& item : items) {
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
    const bool all_equal = !first_tier && open > 0 && open == open_equal;
    const bool equality = refuted == 0 && all_equal && (equal_before_ || vanishing);
    equal_before_ = all_equal;
    if (decided_ && result_.verdict.kind != VerdictKind::undecided) return;
    Verdict& v = result_.verdict;
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
    } else if (!first_tier && hopeless && working_precision() >= 2 * budget_.zero_bits) {
      v.reason = "a side is not known even in size at " + std::to_string(v.bits) + " bits";
    } else {
      v.reason = "enclosures overlap at " + std::to_string(v.bits) + " bits";
      return;
    }
    decided_ = true;
  }

  void decide_by_difference(const RungValues<Ball>& values) {
    Verdict& v = result_.verdict;
    v.equality = values.difference_is_zero;
    if (!v.equality) v.kind = VerdictKind::proved;
    v.reason = (v.equality ? "equality: " : "") + values.difference;
    result_.by_difference = true;
    decided_ = true;
  }

  void show(const RungValues<Ball>& values, std::vector<ItemResult> items) {
    if (items.empty()) return;
    std::size_t worst = 0;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const bool better_kind = result_.verdict.kind == VerdictKind::refuted &&
                               items[k].verdict.kind == VerdictKind::refuted &&
                               items[worst].verdict.kind != VerdictKind::refuted;
      if (better_kind || tighter(items[worst], items[k])) worst = k;
    }
    result_.shown = items[worst];
    const auto known = [&](const ItemResult& i) {
      return has_digits(i.lhs, budget_) && has_digits(i.rhs, budget_);
    };
    digits_known_ = known(result_.shown);
    if (values.per_sample) {
      digits_known_ = digits_known_ && std::all_of(items.begin(), items.end(), known);
      result_.per_sample = std::move(items);
    }
  }

  Budget budget_;
  ClaimResult result_;
  bool decided_ = false, digits_known_ = false, equal_before_ = false;
};

}  // namespace

InstanceQuantities quantities(const VerifyReport& report) {
  return report.analysis ? quantities_of(*report.analysis) : quantities_of(*report.double_analysis);
}

VerifyReport verify(const MhaInstance& instance, const Budget& budget) {
  VerifyReport report;
  std::vector<Key> order;
  std::map<Key, Progress> progress;
  const Wanted wanted = [&](const std::string& id, const std::string& rung) {
    const auto it = progress.find({id, rung});
    return it == progress.end() || !it->second.settled();
  };
  bool lean = false, numbers_known = false;
  const auto update = [&](const auto& analysis, bool first_tier) {
    for (const RungValues<Ball>& values : evaluate_claims(instance, analysis, wanted)) {
      const Key key{values.id, values.rung};
      const auto [it, added] = progress.try_emplace(key, budget);
      if (added) order.push_back(key);
      it->second.update(values, first_tier, lean);
    }
    report.bits = working_precision();
    return std::all_of(progress.begin(), progress.end(),
                       [](const auto& p) { return p.second.settled(); });
  };
  const auto in_double = [&] {
    lean = state_form_for(instance) == StateForm::lean;
    report.double_analysis = std::make_unique<MhaAnalysis<DoubleBall>>(
        instance, lean ? StateForm::lean : StateForm::kept);
    const MhaAnalysis<DoubleBall>& a = *report.double_analysis;
    const auto known = [&](const DoubleBall& x) { return has_digits(to_ball(x), budget); };
    numbers_known = known(a.loss()) && known(a.mean_slope());
    const bool settled = update(a, true) && numbers_known;
    if (!settled && !lean) return false;
    report.identities = check_identities(instance, a);
    if (!all_known(report.identities)) report.identities.clear();
    return settled && !report.identities.empty();
  };
  const auto in_balls = [&] {
    // Claims about the loss need values of Phi only, and the quantities of a report are known then.
    const bool values_only = lean && numbers_known && !report.analysis &&
                             !report.identities.empty() &&
                             std::all_of(progress.begin(), progress.end(), [](const auto& p) {
                               return p.second.settled() || p.first.first.rfind("loss.", 0) == 0;
                             });
    if (values_only) return update(loss_values(instance), false);
    report.double_analysis.reset();
    auto analysis = std::make_unique<MhaAnalysis<Ball>>(instance);
    const bool settled = update(*analysis, false);
    if (report.identities.empty()) report.identities = check_identities(instance, *analysis);
    report.analysis = std::move(analysis);
    return settled;
  };
  report.budget_ended = !escalate(budget, in_double, in_balls);
  for (const Key& key : order) report.claims.push_back(progress.at(key).result());
  return report;
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
