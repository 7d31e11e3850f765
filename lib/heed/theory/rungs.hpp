// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// The rungs of one claim by name, each evaluated only when asked for.
template <class S>
using RungTable = std::vector<std::pair<std::string, std::function<RungValues<S>()>>>;

/// Evaluates the wanted rungs of a table into `all`.
template <class S>
void evaluate_wanted(const std::string& id, const RungTable<S>& table, const Wanted& wanted,
                     std::vector<RungValues<S>>& all) {
  for (const auto& [rung, evaluate] : table)
    if (wanted(id, rung)) all.push_back(evaluate());
}

/// A rung about the whole instance.
template <class S>
RungValues<S> single_rung(const std::string& id, const std::string& rung, const S& lhs,
                          const S& rhs) {
  return {id, rung, {{lhs, rhs, ""}}, {}, false, false, ""};
}

/// lhs and rhs are the same quantity, so the rung holds by reflexivity.
template <class S>
RungValues<S> reflexive_rung(const std::string& id, const std::string& rung, const S& value) {
  return {id, rung, {{value, value, ""}}, {}, false, true, ""};
}

/// The rung with what is known of rhs - lhs; see RungValues::difference.
template <class S>
RungValues<S> with_difference(RungValues<S> r, bool known, const char* reason, bool zero = false) {
  if (known) {
    r.difference = reason;
    r.difference_is_zero = zero;
  }
  return r;
}

/// A rung that needs the logistic loss; not applicable for the exponential one.
template <class S>
RungValues<S> logistic_rung(const MhaAnalysis<S>& a, const std::string& id, const std::string& rung,
                            const S& lhs, const S& rhs) {
  if (a.loss_kind() == Loss::logistic) {
    RungValues<S> r = single_rung(id, rung, lhs, rhs);
    r.hypotheses.push_back({"the loss is logistic", "proved"});
    return r;
  }
  return {id,
          rung,
          {},
          {{"the loss is logistic", "not proved"}},
          false,
          false,
          "the loss is exponential"};
}

}  // namespace heed
