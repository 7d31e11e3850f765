// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/data/query_instance.hpp"
#include "heed/numeric/logistic.hpp"

namespace heed {

/// l, -l' and l'' at one margin u.
template <class S>
struct QueryLossTerms {
  S value;
  S slope;  ///< p = -l'(u) > 0
  S second;
};

/// Logistic: log(1 + e^-u), sigma(-u), sigma(u) sigma(-u). Exponential: e^-u, three times.
/// Correlation: -u, 1, 0.
template <class S>
QueryLossTerms<S> query_loss_terms(QueryLoss loss, const S& u) {
  if (loss == QueryLoss::correlation) return {S(-u), S(1), S(0)};
  if (loss == QueryLoss::exponential) {
    const S e = exp(S(-u));
    return {e, e, e};
  }
  return {Logistic<S>::value(u), Logistic<S>::probability(u), Logistic<S>::second(u)};
}

/// log(-l'(u)), also where -l'(u) leaves the range of the scalar.
template <class S>
S log_query_slope(QueryLoss loss, const S& u) {
  if (loss == QueryLoss::correlation) return S(0);
  if (loss == QueryLoss::exponential) return -u;
  return -Logistic<S>::value(S(-u));
}

/// l(best - drop) - l(best) without cancellation; relative accuracy for every drop >= 0.
///
///   logistic      log1p(sigma(-best) expm1(drop)); for drop > 1, where that may overflow, its equal
///                 l(-x), x = drop + log(1 - e^-drop) - log(1 + e^best)
///   exponential   e^(drop - best) (1 - e^-drop)
///   correlation   drop
///
/// Note: proofs-notes/query_attention.md.
template <class S>
S query_excess(QueryLoss loss, const S& best, const S& drop) {
  if (loss == QueryLoss::correlation) return drop;
  if (loss == QueryLoss::exponential) return exp(S(drop - best)) * one_minus_exp_neg(drop);
  if (approx::less(drop, S(1))) return log1p(S(Logistic<S>::probability(best) * expm1(drop)));
  const S x = drop + log1p(S(-exp(S(-drop)))) - Logistic<S>::value(S(-best));
  return Logistic<S>::value(S(-x));
}

}  // namespace heed
