// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace heed {

/// A hypothesis of a claim on an instance: `proved`, or `not proved` with the text saying what fails.
struct Hypothesis {
  std::string text;
  std::string status;
};

/// One inequality lhs <= rhs at one place, for example one sample.
template <class S>
struct Item {
  S lhs, rhs;
  std::string where;  ///< `sample 3`; empty for a claim about the whole instance
  /// lhs <= rhs was decided by exact arithmetic, so that equal sides need no digits.
  bool exact = false;
};

/// A rung of a claim, evaluated in scalar S: it holds if lhs <= rhs for every item.
template <class S>
struct RungValues {
  std::string id;
  std::string rung;
  std::vector<Item<S>> items;
  std::vector<Hypothesis> hypotheses;
  bool per_sample = false;     ///< items are the samples, in order
  bool reflexive = false;      ///< lhs and rhs are the same quantity
  std::string not_applicable;  ///< the hypothesis that fails; then there are no items
  /// False where the enclosures leave it open which samples the rung is about, or whether there are any.
  bool complete = true;
  /// Why the difference rhs - lhs has no negative part in this instance, where both sides share a
  /// quantity that would have to be known to far more digits than their difference; empty: no reason.
  /// Note: proofs-notes/decision.md, "Differences".
  std::string difference = {};
  bool difference_is_zero = false;  ///< the two sides are the same number then
  /// The width of a side comes from a bracket among the data: no precision narrows it.
  bool bracketed = false;
};

/// Which rungs to evaluate: some cost far more than others, and few need a higher precision.
using Wanted = std::function<bool(const std::string& id, const std::string& rung)>;

/// A rung in words.
struct RungInfo {
  std::string name;
  std::string bound;
};

/// An entry of the index of claims.
struct ClaimInfo {
  std::string id;
  std::string statement;
  std::vector<std::string> hypotheses;
  std::vector<std::string> constants;
  std::vector<RungInfo> rungs;
  std::string equality;  ///< when a rung is attained
  std::string
      family;  ///< note proofs-notes/<family>.md, header theory/<family>.hpp, check <family>.cpp
  std::string header = {};  ///< where it is another one
};

/// All claims, in the order in which they are reported.
const std::vector<ClaimInfo>& claim_index();
/// nullptr if there is no such claim.
const ClaimInfo* find_claim(const std::string& id);

}  // namespace heed
