// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of query_attention.hpp, for instantiation with a further scalar: include the scalar's
// header first.

#include <stdexcept>
#include <string>
#include <utility>

#include "heed/attention/detail/query_products.hpp"
#include "heed/attention/query_attention.hpp"
#include "heed/attention/query_inputs.ipp"
#include "heed/linalg/product.hpp"

namespace heed {

template <class S>
QueryModel<S>::QueryModel(Inputs inputs, QueryLoss loss) : in_(std::move(inputs)), kind_(loss) {
  const std::size_t n = in_->inputs(), total = in_->total_tokens();
  reference_.resize(n);
  for (std::vector<S>* v : {&gap_, &s_, &delta_}) v->assign(total, S(0));
  for (std::vector<S>* v : {&e_, &u_}) v->assign(n, S(0));
  if (!std::holds_alternative<LinearHead>(in_->head())) o_ = Matrix<S>(n, in_->dim());
}

template <class S>
QueryModel<S>::QueryModel(Inputs inputs, QueryLoss loss, const Matrix<S>& W)
    : QueryModel(std::move(inputs), loss) {
  evaluate(W);
}

template <class S>
QueryModel<S>::QueryModel(Inputs inputs, QueryLoss loss, const QueryFactors<S>& factors)
    : QueryModel(std::move(inputs), loss) {
  evaluate(factors);
}

namespace detail {

// False for NaN and for enclosures that reach 0.
template <class S>
bool certainly_positive(const S& x) {
  if constexpr (requires { positive(x); })
    return certainly(positive(x));
  else
    return approx::less(S(0), x);  // lower ends, where S is an interval
}

template <class S>
void require_factors(const QueryFactors<S>& f, std::size_t d) {
  if (f.K.rows() != d || f.Q.rows() != d || f.K.cols() != f.Q.cols())
    throw std::invalid_argument("query attention: expected K and Q of shape d x m");
}

// Evaluates the model at the rows (W z_i)^T of u: n x d.
template <class S>
void evaluate_at_keys(QueryModel<S>& model, const Matrix<S>& u) {
  const QueryInputs<S>& in = model.inputs();
  model.evaluate([&](std::size_t i, std::size_t r, S* gaps) {
    apply_rows(in.differences(i, r).tokens, u.row(i), gaps);
  });
}

}  // namespace detail

template <class S>
void QueryModel<S>::evaluate(const Matrix<S>& W) {
  if (W.rows() != in_->dim() || W.cols() != in_->dim())
    throw std::invalid_argument("query attention: expected W of shape d x d");
  detail::evaluate_at_keys(*this, detail::apply_to_rows(in_->Z(), W));
}

template <class S>
void QueryModel<S>::evaluate(const QueryFactors<S>& f) {
  detail::require_factors(f, in_->dim());
  detail::evaluate_at_keys(*this, detail::apply_to_rows(multiply(in_->Z(), f.Q), f.K));
}

template <class S>
void QueryModel<S>::evaluate(const GapSource& gaps) {
  open_.reset();
  terms_.clear();
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    settle_logits(gaps, i);
    apply_head(i);
    terms_.push_back(query_loss_terms(kind_, u_[i]));
  }
}

// The reference moves on until no gap is negative, from the one of the point before.
template <class S>
void QueryModel<S>::settle_logits(const GapSource& gaps, std::size_t i) {
  const std::size_t T = in_->tokens(i);
  S *m = gap_.data() + in_->offset(i), *s = s_.data() + in_->offset(i);
  std::size_t r = reference_[i];
  for (std::size_t round = 0; round <= T; ++round) {
    gaps(i, r, m);
    m[r] = S(0);
    std::size_t best = r;
    for (std::size_t t = 0; t < T; ++t)
      if (approx::less(m[t], m[best])) best = t;
    if (best == r || round == T) break;
    r = best;
  }
  reference_[i] = r;
  S sum(0);
  for (std::size_t t = 0; t < T; ++t) {
    s[t] = t == r ? S(1) : S(exp(S(-m[t])));
    sum += s[t];
  }
  for (std::size_t t = 0; t < T; ++t) s[t] /= sum;
}

// delta, e and u of one input; o and the open units of a ReLU head.
template <class S>
void QueryModel<S>::apply_head(std::size_t i) {
  const std::size_t T = in_->tokens(i), r = reference_[i], at = in_->offset(i), d = in_->dim();
  const typename QueryInputs<S>::Differences& difference = in_->differences(i, r);
  const Matrix<S>& dP = difference.features;
  const std::size_t m = dP.cols();
  const S *s = s_.data() + at, y(in_->label(i));
  S* delta = delta_.data() + at;
  const bool relu = std::holds_alternative<ReluHead>(in_->head());
  if (o_.rows() > 0)
    for (std::size_t c = 0; c < d; ++c)
      o_(i, c) = in_->X(i)(r, c) - dot(T, s, 1, difference.tokens.data() + c, d);
  S value(0);
  for (std::size_t t = 0; t < T; ++t) delta[t] = S(0);
  for (std::size_t k = 0; k < m; ++k) {
    S feature = in_->features(i)(r, k) - dot(T, s, 1, dP.data() + k, m);
    const S& weight = in_->unit_weights()[k];
    if (relu) {
      const UnitSign sign = in_->sign(i, k);
      if (sign == UnitSign::zero || sign == UnitSign::negative) continue;
      if (sign == UnitSign::open) {
        if (detail::certainly_positive(S(-feature))) continue;
        if (!detail::certainly_positive(feature)) {
          if (!open_) open_ = OpenUnit{i, k};
          feature = max(feature, S(0));
        }
      }
    }
    value += weight * feature;
    for (std::size_t t = 0; t < T; ++t) delta[t] += weight * dP(t, k);
  }
  if (std::holds_alternative<QuadraticHead>(in_->head())) {
    value -= in_->lambda() * dot(d, o_.row(i), 1, o_.row(i), 1);
    for (std::size_t t = 0; t < T; ++t)
      delta[t] -= ldexp(in_->lambda() * dot(d, difference.tokens.row(t), 1, o_.row(i), 1), 1);
  }
  for (std::size_t t = 0; t < T; ++t) delta[t] = y * delta[t];
  u_[i] = y * value;
  e_[i] = dot(T, s, 1, delta, 1);
}

template <class S>
S QueryModel<S>::loss() const {
  S sum(0);
  for (const QueryLossTerms<S>& l : terms_) sum += l.value;
  return sum / inputs_as_scalar();
}

template <class S>
void QueryModel<S>::require_differentiable() const {
  if (open_)
    throw std::domain_error("query attention: unit " + std::to_string(open_->unit) +
                            " of the ReLU head is not proved away from 0 on input " +
                            std::to_string(open_->input));
}

template <class S>
std::vector<S> QueryModel<S>::gradient_coefficients() const {
  require_differentiable();
  std::vector<S> c(s_.size());
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    const S weight = -(terms_[i].slope / inputs_as_scalar());
    for (std::size_t k = in_->offset(i); k < in_->offset(i + 1); ++k)
      c[k] = weight * (s_[k] * (delta_[k] - e_[i]));
  }
  return c;
}

// Row i = sum_t coefficient_it (x_ir - x_it).
template <class S>
Matrix<S> QueryModel<S>::combine(const std::vector<S>& coefficients) const {
  Matrix<S> rows(in_->inputs(), in_->dim());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    detail::combine_rows(in_->differences(i, reference_[i]).tokens,
                         coefficients.data() + in_->offset(i), rows.row(i));
  return rows;
}

template <class S>
Matrix<S> QueryModel<S>::gradient_rows() const {
  return combine(gradient_coefficients());
}

template <class S>
Matrix<S> QueryModel<S>::gradient() const {
  return detail::fold(gradient_rows(), in_->Z());
}

namespace detail {

template <class S>
std::vector<S> gaps_of_rows(const QueryModel<S>& model, const Matrix<S>& rows) {
  const QueryInputs<S>& in = model.inputs();
  std::vector<S> b(in.total_tokens());
  for (std::size_t i = 0; i < in.inputs(); ++i)
    apply_rows(in.differences(i, model.reference(i)).tokens, rows.row(i), b.data() + in.offset(i));
  return b;
}

// X_i D z_i, exactly.
inline std::vector<Rational> exact_logits(const Matrix<Rational>& X, const Rational* z,
                                          const Matrix<Rational>& D) {
  std::vector<Rational> key(D.rows()), a(X.rows());
  for (std::size_t r = 0; r < D.rows(); ++r)
    for (std::size_t c = 0; c < D.cols(); ++c) key[r] += D(r, c) * z[c];
  for (std::size_t t = 0; t < X.rows(); ++t)
    for (std::size_t r = 0; r < D.rows(); ++r) a[t] += X(t, r) * key[r];
  return a;
}

template <class S>
void require_direction(const Matrix<S>& D, std::size_t d) {
  if (D.rows() != d || D.cols() != d)
    throw std::invalid_argument("query attention: expected a direction of shape d x d");
}

}  // namespace detail

template <class S>
std::vector<S> QueryModel<S>::direction_gaps(const Matrix<S>& D) const {
  detail::require_direction(D, in_->dim());
  return detail::gaps_of_rows(*this, detail::apply_to_rows(in_->Z(), D));
}

template <class S>
std::vector<S> QueryModel<S>::direction_gaps(const Matrix<Rational>& D) const {
  detail::require_direction(D, in_->dim());
  std::vector<S> b;
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    const std::vector<Rational> a =
        detail::exact_logits(in_->exact_tokens(i), in_->exact_queries().row(i), D);
    for (const Rational& x : a) b.push_back(Scalar<S>::from(a[reference_[i]] - x));
  }
  return b;
}

template <class S>
std::vector<S> QueryModel<S>::direction_gaps(const QueryFactors<S>& at,
                                             const QueryFactors<S>& direction) const {
  detail::require_factors(at, in_->dim());
  detail::require_factors(direction, in_->dim());
  if (at.K.cols() != direction.K.cols())
    throw std::invalid_argument("query attention: expected a direction of the factors' shape");
  const Matrix<S>& Z = in_->Z();
  Matrix<S> rows = detail::apply_to_rows(multiply(Z, at.Q), direction.K);
  const Matrix<S> other = detail::apply_to_rows(multiply(Z, direction.Q), at.K);
  for (std::size_t k = 0; k < rows.size(); ++k) rows.data()[k] += other.data()[k];
  return detail::gaps_of_rows(*this, rows);
}

template <class S>
S QueryModel<S>::slope_along(const std::vector<S>& b) const {
  return dot(gradient_coefficients(), b);
}

template <class S>
S QueryModel<S>::slope_along_exact(const Matrix<Rational>& D) const {
  require_differentiable();
  detail::require_direction(D, in_->dim());
  const bool linear = std::holds_alternative<LinearHead>(in_->head());
  S sum(0);
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    const std::size_t at = in_->offset(i);
    const Matrix<Rational>& p = in_->exact_features(i);
    const std::vector<Rational> a =
        detail::exact_logits(in_->exact_tokens(i), in_->exact_queries().row(i), D);
    S covariance(0);
    for (std::size_t t = 0; t < a.size(); ++t)
      for (std::size_t u = 0; u < t; ++u) {
        const Rational along = a[t] - a[u];
        if (along.sign() == 0) continue;
        // gamma_t - gamma_u
        const S scores = linear ? Scalar<S>::from(Rational(in_->label(i)) * (p(t, 0) - p(u, 0)))
                                : S(delta_[at + u] - delta_[at + t]);
        covariance += S(s_[at + t] * s_[at + u]) * S(Scalar<S>::from(along) * scores);
      }
    sum -= terms_[i].slope * covariance;
  }
  return sum / inputs_as_scalar();
}

// b about its mean, the covariance of logits and scores, and how the score gaps move.
template <class S>
struct QueryModel<S>::Motion {
  std::vector<S> centred;     // b_t - mean of b = mean logit speed - logit speed of t
  S covariance;               // Cov(adot, gamma) = d u / dt
  std::vector<S> score_gaps;  // d delta_t / dt; empty where scores are fixed
  S mean_score_gap;           // sum_t s_t (d delta_t / dt)
  S head_curvature;           // odot^T (y hess h) odot
};

template <class S>
typename QueryModel<S>::Motion QueryModel<S>::motion(std::size_t i, const S* b) const {
  const std::size_t T = in_->tokens(i), at = in_->offset(i), d = in_->dim();
  const S *s = s_.data() + at, *delta = delta_.data() + at;
  const S mean = dot(T, s, 1, b, 1);
  Motion m{std::vector<S>(T), S(0), {}, S(0), S(0)};
  std::vector<S> weight(T);  // s_t (b_t - mean) = -(d s_t / dt)
  for (std::size_t t = 0; t < T; ++t) {
    m.centred[t] = b[t] - mean;
    m.covariance += s[t] * (delta[t] - e_[i]) * b[t];
    weight[t] = s[t] * m.centred[t];
  }
  if (!std::holds_alternative<QuadraticHead>(in_->head())) return m;
  const Matrix<S>& difference = in_->differences(i, reference_[i]).tokens;
  std::vector<S> speed(d);  // d o / dt
  for (std::size_t c = 0; c < d; ++c) speed[c] = dot(T, weight.data(), 1, difference.data() + c, d);
  const S twice = ldexp(in_->label(i) > 0 ? S(-in_->lambda()) : in_->lambda(), 1);  // y hess h
  for (std::size_t t = 0; t < T; ++t)
    m.score_gaps.push_back(twice * dot(d, difference.row(t), 1, speed.data(), 1));
  m.mean_score_gap = dot(T, s, 1, m.score_gaps.data(), 1);
  m.head_curvature = twice * dot(d, speed.data(), 1, speed.data(), 1);
  return m;
}

template <class S>
std::vector<S> QueryModel<S>::hessian_coefficients(const std::vector<S>& b) const {
  require_differentiable();
  std::vector<S> k(b.size());
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    const std::size_t at = in_->offset(i);
    const Motion m = motion(i, b.data() + at);
    const S along = terms_[i].second * m.covariance / inputs_as_scalar();
    const S weight = -(terms_[i].slope / inputs_as_scalar());
    for (std::size_t t = 0; t < in_->tokens(i); ++t) {
      const S score = delta_[at + t] - e_[i];
      S moved = m.covariance - m.centred[t] * score;
      if (!m.score_gaps.empty()) moved += m.score_gaps[t] - m.mean_score_gap;
      k[at + t] = s_[at + t] * (along * score + weight * moved);
    }
  }
  return k;
}

template <class S>
Matrix<S> QueryModel<S>::hessian_rows(const std::vector<S>& b) const {
  return combine(hessian_coefficients(b));
}

template <class S>
Matrix<S> QueryModel<S>::hessian_vector_product(const Matrix<S>& D) const {
  return detail::fold(hessian_rows(direction_gaps(D)), in_->Z());
}

// The third central moment sum_t s_t (b_t - mean)^2 (e - delta_t), term by term.
template <class S>
S QueryModel<S>::curvature_along(const std::vector<S>& b) const {
  require_differentiable();
  S sum(0);
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    const std::size_t at = in_->offset(i);
    const Motion m = motion(i, b.data() + at);
    S third = m.head_curvature;
    for (std::size_t t = 0; t < in_->tokens(i); ++t)
      third += s_[at + t] * square(m.centred[t]) * (e_[i] - delta_[at + t]);
    sum += terms_[i].second * square(m.covariance) - terms_[i].slope * third;
  }
  return sum / inputs_as_scalar();
}

template <class S>
QueryFactors<S> factor_gradient(const QueryModel<S>& model, const QueryFactors<S>& at) {
  detail::require_factors(at, model.inputs().dim());
  const Matrix<S>& Z = model.inputs().Z();
  const Matrix<S> rows = model.gradient_rows();
  return {detail::fold(rows, multiply(Z, at.Q)), detail::fold(Z, multiply(rows, at.K))};
}

template <class S>
QueryFactors<S> factor_hessian_vector_product(const QueryModel<S>& model, const QueryFactors<S>& at,
                                              const QueryFactors<S>& direction) {
  const Matrix<S>& Z = model.inputs().Z();
  const Matrix<S> moved = model.hessian_rows(model.direction_gaps(at, direction));
  const Matrix<S> rows = model.gradient_rows();
  QueryFactors<S> out{detail::fold(moved, multiply(Z, at.Q)),
                      detail::fold(Z, multiply(moved, at.K))};
  const Matrix<S> k = detail::fold(rows, multiply(Z, direction.Q)),
                  q = detail::fold(Z, multiply(rows, direction.K));
  for (std::size_t j = 0; j < out.K.size(); ++j) {
    out.K.data()[j] += k.data()[j];
    out.Q.data()[j] += q.data()[j];
  }
  return out;
}

}  // namespace heed
