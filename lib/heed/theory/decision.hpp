// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heed/numeric/double_ball.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/budget.hpp"
#include "heed/theory/claim.hpp"

namespace heed {

/// Verdict on one inequality (one sample, or the whole instance).
struct ItemResult {
  Verdict verdict;
  Ball lhs, rhs;
  std::string where;
  /// lhs / rhs; not finite where rhs may be 0.
  Ball tightness() const { return lhs / rhs; }
};

/// Verdict on a rung: proved if every item is, refuted if one item is (then `shown` is a witness).
struct ClaimResult {
  std::string id, rung;
  Verdict verdict;
  ItemResult shown;  ///< the worst item: largest lhs / rhs
  std::vector<Hypothesis> hypotheses;
  std::vector<ItemResult> per_sample;  ///< where the claim is about samples
  std::size_t items = 0;
  bool by_difference = false;  ///< decided by RungValues::difference, which is the reason then
};

/// What a tier may conclude.
struct Tier {
  bool first = false;          ///< the tier in double: what it does not decide is left to the next
  bool by_difference = false;  ///< sides that overlap may be decided by RungValues::difference
};

/// The verdicts on all rungs of an instance over successive precisions.
///
/// A rung is settled when it is decided and its sides have the digits of the budget. Guarantee: `proved`
/// and `refuted` follow from the given enclosures alone; sides that agree to max(60, 2 digits) digits
/// at two successive precisions end as undecided with `equality` set, never as refuted.
/// Note: proofs-notes/decision.md.
class Decisions {
 public:
  explicit Decisions(const Budget& budget) : budget_(budget) {}

  /// The rungs that are not settled, for the evaluation at the next precision.
  Wanted wanted() const;
  /// Takes the values of a tier. Rungs that are not wanted any more are ignored.
  void update(const std::vector<RungValues<Ball>>& values, const Tier& tier);
  /// True if every rung seen so far, apart from those of the claims that `except` names, is settled.
  bool all_settled(const std::function<bool(const std::string& id)>& except = {}) const;
  /// In the order in which the rungs were first seen.
  std::vector<ClaimResult> results() const;

 private:
  struct Progress {
    ClaimResult result;
    bool decided = false, digits_known = false, equal_before = false;
    bool settled() const { return decided && digits_known; }
  };
  using Key = std::pair<std::string, std::string>;

  void update(Progress& p, const RungValues<Ball>& values, const Tier& tier) const;
  void decide(Progress& p, const std::vector<ItemResult>& items, const Tier& tier) const;
  void show(Progress& p, const RungValues<Ball>& values, std::vector<ItemResult> items) const;

  Budget budget_;
  std::vector<Key> order_;
  std::map<Key, Progress> progress_;
};

/// The same rung with its sides as balls.
RungValues<Ball> in_balls(RungValues<Ball> rung);
RungValues<Ball> in_balls(RungValues<DoubleBall> rung);

/// Exit status of the command over many claims: 1 if any is refuted; else 2 if any is undecided and
/// not an equality case; else 0 if one is proved; else 2.
int exit_status(const std::vector<ClaimResult>& claims);

}  // namespace heed
