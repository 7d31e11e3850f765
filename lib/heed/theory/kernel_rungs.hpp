// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "heed/theory/kernel_analysis.hpp"
#include "heed/theory/query_rungs.hpp"

namespace heed {

/// As rung_under. Not complete where a hypothesis is open, so that a higher precision may prove it, and
/// none is known to be false; a false one is the reason before an open one.
template <class S, class F>
RungValues<S> kernel_rung(const std::string& id, const std::string& rung,
                          std::initializer_list<Condition> conditions, F&& evaluate) {
  RungValues<S> r = rung_under<S>(id, rung, conditions, std::forward<F>(evaluate));
  if (r.not_applicable.empty()) return r;
  r.complete = false;
  for (const Condition& c : conditions)
    if (c.holds == Ternary::certainly_false) {
      r.not_applicable = c.failure;
      r.complete = true;
      break;
    }
  return r;
}

/// Not certain yet, and not false: `open` with the reason.
inline Condition shown(bool certain, const std::string& text) {
  return certain ? Condition::proved(text) : Condition::open(text, text + " is not proved");
}

/// A hypothesis that is decided.
inline Condition known(bool holds, const std::string& text, const std::string& failure) {
  return holds ? Condition::proved(text) : Condition::disproved(text, failure);
}

inline std::string place(std::size_t i, std::size_t h, std::size_t a) {
  return "sample " + std::to_string(i) + ", head " + std::to_string(h) + ", token " +
         std::to_string(a);
}

}  // namespace heed
