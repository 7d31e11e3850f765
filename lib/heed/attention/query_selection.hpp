// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/query_attention.hpp"

namespace heed {

/// How much attention one token of an input leaves to the others.
///
/// With b = log sum_{t != j} e^{a_t - a_j}: q = 1 - s_j = sigma(b), and
/// -b <= min_{t != j} (a_j - a_t) <= log(T - 1) - b. All from sums of positive terms, so also where
/// q is 1e-300 (or, in logarithms, far below) nothing is lost.
template <class S>
struct TokenOdds {
  bool alone = false;  ///< T_i = 1: q = 0, and the rest is 0 and means nothing
  S log_odds;          ///< b = log(q / (1 - q))
  S rest;              ///< q
  S log_rest;          ///< log q
  S log_own;           ///< log s_j = log(1 - q)
  S least_gap;         ///< min_{t != j} (a_j - a_t)
};

/// The odds of token j of input i at the model's point. Cost: T_i exponentials.
template <class S>
TokenOdds<S> token_odds(const QueryModel<S>& model, std::size_t i, std::size_t j);

/// Excess over the loss of all attention on the optimal token, linear heads only:
///
///   drop_i = gamma_max - s_i^T gamma = sum_t s_t (gamma_max - gamma_t) >= 0
///   e_i    = l(s_i^T gamma) - l(gamma_max),      E = (1/n) sum_i e_i = L - L_*
///
/// in the forms of query_excess. A tie of optimal tokens does no harm.
template <class S>
struct QueryExcess {
  std::vector<S> drop, terms;
  S mean;
};

/// Errors: std::domain_error for another head, whose scores depend on W.
/// Note: proofs-notes/query_attention.md.
template <class S>
QueryExcess<S> query_excess(const QueryModel<S>& model);

extern template TokenOdds<double> token_odds(const QueryModel<double>&, std::size_t, std::size_t);
extern template TokenOdds<DoubleBall> token_odds(const QueryModel<DoubleBall>&, std::size_t,
                                                 std::size_t);
extern template TokenOdds<Ball> token_odds(const QueryModel<Ball>&, std::size_t, std::size_t);
extern template QueryExcess<double> query_excess(const QueryModel<double>&);
extern template QueryExcess<DoubleBall> query_excess(const QueryModel<DoubleBall>&);
extern template QueryExcess<Ball> query_excess(const QueryModel<Ball>&);

}  // namespace heed
