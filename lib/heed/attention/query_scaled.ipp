// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of query_scaled.hpp, for instantiation with a further scalar: include the scalar's
// header first.

#include <cmath>
#include <limits>
#include <stdexcept>

#include "heed/attention/query_attention.ipp"
#include "heed/attention/query_scaled.hpp"

namespace heed {
namespace detail {

// factor e^exponent, the coefficient of (x_r - x_t) z^T.
template <class S>
struct ScaledTerm {
  S exponent, factor;
  double size;  // logarithm of the magnitude of the term, roughly; -inf if it vanishes
};

template <class S>
bool is_exact_zero(const S& x) {
  if constexpr (requires { x.is_exact(); })
    return x.is_exact() && x.contains_zero();
  else
    return x == S(0);
}

template <class S>
double log_size(const S& x) {
  return std::log(2.0) * static_cast<double>(approx::exponent(x));
}

// Of the largest entry.
template <class S>
double log_length(const S* x, std::size_t n) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (approx::abs_less(x[best], x[k])) best = k;
  return is_exact_zero(x[best]) ? -std::numeric_limits<double>::infinity() : log_size(x[best]);
}

// e = sum_t s_t delta_t of one input as factor e^exponent.
template <class S>
ScaledTerm<S> scaled_mean(const QueryModel<S>& model, std::size_t i) {
  const std::size_t at = model.inputs().offset(i), T = model.inputs().tokens(i);
  const std::vector<S>&gap = model.gaps(), &delta = model.score_gaps();
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t t = at; t < at + T; ++t)
    if (!is_exact_zero(delta[t]))
      top = std::max(top, log_size(delta[t]) - approx::to_double(gap[t]));
  ScaledTerm<S> e{S(0), S(0), top};
  if (!std::isfinite(top)) return e;
  e.exponent = S(top);
  for (std::size_t t = at; t < at + T; ++t)
    if (!is_exact_zero(delta[t])) e.factor += exp(S(-gap[t] - e.exponent)) * delta[t];
  e.factor *= model.attention()[at + model.reference(i)];
  return e;
}

}  // namespace detail

template <class S>
Matrix<S> ScaledGradient<S>::direction(const QueryInputs<S>& inputs) const {
  return detail::fold(rows, inputs.Z());
}

template <class S>
ScaledGradient<S> scaled_query_gradient(const QueryModel<S>& model) {
  if (model.open_unit())
    throw std::domain_error("scaled_query_gradient: the ReLU head is not proved differentiable");
  const QueryInputs<S>& in = model.inputs();
  const std::size_t d = in.dim();
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  std::vector<detail::ScaledTerm<S>> terms;
  double top = nothing;
  for (std::size_t i = 0; i < in.inputs(); ++i) {
    const std::size_t at = in.offset(i), r = model.reference(i);
    const Matrix<S>& difference = in.differences(i, r).tokens;
    const S slope = log_query_slope(model.loss_kind(), model.margins()[i]);
    const double query = detail::log_length(in.Z().row(i), d);
    const detail::ScaledTerm<S> mean = detail::scaled_mean(model, i);
    for (std::size_t t = 0; t < in.tokens(i); ++t) {
      // -s_r e^-m (delta - e); at a tie of scores delta - e = -e.
      const bool tie = detail::is_exact_zero(model.score_gaps()[at + t]);
      detail::ScaledTerm<S> term{slope - model.gaps()[at + t], S(0), nothing};
      if (tie) {
        term.exponent += mean.exponent;
        term.factor = mean.factor;
      } else {
        term.factor = model.mean_score_gap()[i] - model.score_gaps()[at + t];
      }
      term.factor *= model.attention()[at + r];
      if (t != r && !detail::is_exact_zero(term.factor))
        term.size = approx::to_double(term.exponent) + detail::log_size(term.factor) +
                    detail::log_length(difference.row(t), d) + query;
      if (!std::isnan(term.size)) top = std::max(top, term.size);
      terms.push_back(std::move(term));
    }
  }
  ScaledGradient<S> scaled{Matrix<S>(in.inputs(), d), S(std::isfinite(top) ? top : 0)};
  const S count(static_cast<int>(in.inputs()));
  for (std::size_t i = 0; i < in.inputs(); ++i) {
    const Matrix<S>& difference = in.differences(i, model.reference(i)).tokens;
    for (std::size_t c = 0; c < d; ++c) scaled.rows(i, c) = S(0);
    for (std::size_t t = 0; t < in.tokens(i); ++t) {
      const detail::ScaledTerm<S>& term = terms[in.offset(i) + t];
      if (t == model.reference(i) || detail::is_exact_zero(term.factor)) continue;
      const S coefficient = exp(S(term.exponent - scaled.log_scale)) * term.factor / count;
      for (std::size_t c = 0; c < d; ++c) scaled.rows(i, c) += coefficient * difference(t, c);
    }
  }
  return scaled;
}

}  // namespace heed
