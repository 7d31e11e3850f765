// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "heed/numeric/scalar.hpp"
#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"
#include "heed/theory/rungs.hpp"

namespace heed {

/// A rung that speaks only where all conditions are proved; `evaluate` returns its items and is called
/// only then. The first condition that is not proved is the reason.
template <class S, class F>
RungValues<S> rung_under(const std::string& id, const std::string& rung,
                         std::initializer_list<Condition> conditions, F&& evaluate) {
  RungValues<S> r{id, rung, {}, {}, false, false, ""};
  for (const Condition& c : conditions) {
    r.hypotheses.push_back({c.text, c.is_proved() ? "proved" : "not proved"});
    if (!c.is_proved() && r.not_applicable.empty()) r.not_applicable = c.failure;
  }
  if (r.not_applicable.empty()) r.items = evaluate();
  return r;
}

/// True if some rung of the claim is wanted: for what all of them share.
inline bool any_wanted(const Wanted& wanted, const std::string& id,
                       std::initializer_list<const char*> rungs) {
  for (const char* rung : rungs)
    if (wanted(id, rung)) return true;
  return false;
}

template <class S>
std::vector<Item<S>> one_item(const S& lhs, const S& rhs) {
  return {{lhs, rhs, ""}};
}

/// lhs <= rhs between exact numbers, decided exactly.
template <class S>
Item<S> exact_item(const Rational& lhs, const Rational& rhs, std::string where = "") {
  return {Scalar<S>::from(lhs), Scalar<S>::from(rhs), std::move(where), lhs <= rhs};
}

/// sqrt(lhs2) <= sqrt(rhs2) between exact numbers >= 0, decided exactly.
template <class S>
Item<S> exact_root_item(const Rational& lhs2, const Rational& rhs2, std::string where = "") {
  return {sqrt_exact<S>(lhs2), sqrt_exact<S>(rhs2), std::move(where), lhs2 <= rhs2};
}

/// lhs <= rhs decided by other means that are exact.
template <class S>
Item<S> decided_item(const S& lhs, const S& rhs, bool holds, std::string where = "") {
  return {lhs, rhs, std::move(where), holds};
}

inline std::string input_name(std::size_t i) { return "input " + std::to_string(i); }

}  // namespace heed
