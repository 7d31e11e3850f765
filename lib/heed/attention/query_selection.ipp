// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of query_selection.hpp, for instantiation with a further scalar: include the scalar's
// header first.

#include <stdexcept>

#include "heed/attention/query_selection.hpp"
#include "heed/linalg/product.hpp"

namespace heed {

template <class S>
TokenOdds<S> token_odds(const QueryModel<S>& model, std::size_t i, std::size_t j) {
  const QueryInputs<S>& in = model.inputs();
  const std::size_t T = in.tokens(i);
  const S *gap = model.gaps().data() + in.offset(i), *s = model.attention().data() + in.offset(i);
  TokenOdds<S> odds{true, S(0), S(0), S(0), S(0), S(0)};
  std::size_t pivot = j;  // the largest of the other logits
  for (std::size_t t = 0; t < T; ++t) {
    if (t == j) continue;
    odds.rest += s[t];
    const S lead = gap[t] - gap[j];  // a_j - a_t
    odds.least_gap = odds.alone ? lead : S(min(odds.least_gap, lead));
    odds.alone = false;
    if (pivot == j || approx::less(gap[t], gap[pivot])) pivot = t;
  }
  if (odds.alone) return odds;
  S sum(0);
  for (std::size_t t = 0; t < T; ++t)
    if (t != j) sum += t == pivot ? S(1) : S(exp(S(gap[pivot] - gap[t])));
  odds.log_odds = gap[j] - gap[pivot] + log(sum);
  odds.log_rest = -Logistic<S>::value(odds.log_odds);
  odds.log_own = -Logistic<S>::value(S(-odds.log_odds));
  return odds;
}

template <class S>
QueryExcess<S> query_excess(const QueryModel<S>& model) {
  const QueryInputs<S>& in = model.inputs();
  if (!std::holds_alternative<LinearHead>(in.head()))
    throw std::domain_error("query_excess: the optimal scores of this head depend on W");
  QueryExcess<S> excess{{}, {}, S(0)};
  for (std::size_t i = 0; i < in.inputs(); ++i) {
    const std::size_t best = in.best_token(i);
    const Matrix<S>& difference = in.differences(i, best).features;
    const S y(in.label(i));
    excess.drop.push_back(
        y * dot(in.tokens(i), model.attention().data() + in.offset(i), 1, difference.data(), 1));
    excess.terms.push_back(
        query_excess(model.loss_kind(), S(y * in.features(i)(best, 0)), excess.drop[i]));
    excess.mean += excess.terms[i];
  }
  excess.mean /= S(static_cast<int>(in.inputs()));
  return excess;
}

}  // namespace heed
