// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/query_analysis.hpp"

#include <algorithm>
#include <utility>

#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/margin/direction.hpp"
#include "heed/numeric/float_environment.hpp"

namespace heed {
namespace {

constexpr std::size_t largest_dense_dim = 8;

// Scaled by a power of two, as squares leave the range of doubles long before their root does.
template <class S>
S scaled_norm(const Matrix<S>& m) {
  long e = approx::exponent(S(0));
  for (const S& x : m.entries()) e = std::max(e, approx::exponent(x));
  return ldexp(sqrt_nonnegative(squared_norm(map(m, [&](const S& x) { return ldexp(x, -e); }))), e);
}

template <class S>
S largest_second(QueryLoss loss, const ScoreFacts& f, const S& at_best, const S& at_least) {
  if (loss == QueryLoss::correlation) return S(0);
  if (loss == QueryLoss::exponential) return at_least;
  if (f.least.sign() <= 0 && f.best.sign() >= 0) return ldexp(S(1), -2);
  return f.least.sign() > 0 ? at_least : at_best;
}

// The symmetric P_i with (hess L)[D] = sum_i P_i D z_i z_i^T: its columns are the rows of the Hessian
// when all logits of an input move by x_t . e_c.
template <class S>
std::vector<Matrix<S>> token_hessians(const QueryModel<S>& model) {
  const QueryInputs<S>& in = model.inputs();
  const std::size_t d = in.dim();
  std::vector<Matrix<S>> P(in.inputs(), Matrix<S>(d, d));
  for (std::size_t c = 0; c < d; ++c) {
    std::vector<S> b;
    for (std::size_t i = 0; i < in.inputs(); ++i) {
      const Matrix<S>& difference = in.differences(i, model.reference(i)).tokens;
      for (std::size_t t = 0; t < in.tokens(i); ++t) b.push_back(difference(t, c));
    }
    const Matrix<S> rows = model.hessian_rows(b);
    for (std::size_t i = 0; i < in.inputs(); ++i)
      for (std::size_t r = 0; r < d; ++r) (r <= c ? P[i](c, r) : P[i](r, c)) = rows(i, r);
  }
  for (Matrix<S>& p : P)
    for (std::size_t r = 0; r < d; ++r)
      for (std::size_t c = 0; c < r; ++c) p(c, r) = p(r, c);
  return P;
}

// sum_i P_i (x) z_i z_i^T: d^2 x d^2.
template <class S>
Matrix<S> dense_hessian(const std::vector<Matrix<S>>& P, const Matrix<S>& Z) {
  const std::size_t d = Z.cols();
  Matrix<S> h(d * d, d * d);
  for (std::size_t k = 0; k < d * d; ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      S sum(0);
      for (std::size_t i = 0; i < P.size(); ++i)
        sum += P[i](k / d, l / d) * S(Z(i, k % d) * Z(i, l % d));
      h(k, l) = h(l, k) = sum;
    }
  return h;
}

// |<D, H[D]>| <= sum_i ||P_i|| |D z_i|^2 <= ||D||^2 ||sum_i ||P_i|| z_i z_i^T||.
template <class S>
S hessian_norm_above(const std::vector<Matrix<S>>& P, const Matrix<S>& Z) {
  Matrix<S> weighted(Z.cols(), Z.cols());
  for (std::size_t i = 0; i < P.size(); ++i) {
    const S size = extremes(P[i]).norm();
    for (std::size_t r = 0; r < Z.cols(); ++r)
      for (std::size_t c = 0; c < Z.cols(); ++c) weighted(r, c) += size * S(Z(i, r) * Z(i, c));
  }
  return lambda_max(weighted);
}

// ||H[D]|| / ||D|| for D = e_r z_j^T with the longest column r of P_j.
template <class S>
S hessian_norm_below(const std::vector<Matrix<S>>& P, const Matrix<S>& Z) {
  const std::size_t d = Z.cols();
  S best(0);
  for (std::size_t j = 0; j < P.size(); ++j) {
    const S size = sqrt_nonnegative(dot(d, Z.row(j), 1, Z.row(j), 1));
    if (!certainly(positive(size))) continue;
    std::size_t r = 0;
    for (std::size_t c = 1; c < d; ++c)
      if (approx::abs_less(P[j](r, r), P[j](c, c))) r = c;
    Matrix<S> image(d, d);
    for (std::size_t i = 0; i < P.size(); ++i) {
      const S along = dot(d, Z.row(i), 1, Z.row(j), 1) / size;
      for (std::size_t k = 0; k < d; ++k)
        for (std::size_t c = 0; c < d; ++c) image(k, c) += S(P[i](k, r) * along) * Z(i, c);
    }
    best = max(best, scaled_norm(image));
  }
  return best;
}

DoubleBall between(const DoubleBall& lo, const DoubleBall& hi) {
  return lo.is_finite() && hi.is_finite()
             ? DoubleBall::between(std::min(lo.lower(), hi.upper()), hi.upper())
             : DoubleBall::unknown();
}
Ball between(const Ball& lo, const Ball& hi) { return Ball::hull(lo.lower(), hi.upper()); }

}  // namespace

QueryPointFacts::QueryPointFacts(const QueryFacts& facts, const QueryPoint& p)
    : point(p),
      norm2(squared_norm(p.weights.W)),
      logits(exact_logits(facts.instance(), p.weights.W)) {
  const SelectionFacts& f = facts.selected();
  if (f.problem.rows() > 0) mu = least_row_value(f.problem, p.weights.W);
  if (f.feasible.is_proved()) alignment = dot(p.weights.W.entries(), f.W.entries());
  const std::string text = "W ties the selected tokens";
  meets_equalities = Condition::proved(text);
  for (const Rational& x : row_values(f.problem.equalities, f.problem.Z, p.weights.W))
    if (x.sign() != 0) meets_equalities = Condition::disproved(text, "W does not tie them");
}

template <class S>
QueryAnalysis<S>::QueryAnalysis(std::shared_ptr<const QueryFacts> facts,
                                std::shared_ptr<const QueryPointFacts> point)
    : facts_((require_standard_float_environment(), std::move(facts))), point_(std::move(point)) {
  const std::string given = "W is given", linear = "the head is linear";
  has_point_ = point_ ? Condition::proved(given) : Condition::open(given, "no W");
  linear_loss_ = Condition::proved(linear);
  if (!point_)
    linear_loss_ = has_point_;
  else if (!std::holds_alternative<LinearHead>(point_->point.head))
    linear_loss_ = Condition::disproved(linear, "the head is not linear");
  else if (!facts_->instance().v)
    linear_loss_ = Condition::open(linear, "no v");
  if (!linear_loss_.is_proved()) return;
  inputs_ = std::make_shared<QueryInputs<S>>(facts_->instance(), LinearHead{});
  model_ = model_at(point_->logits);
  terms_.resize(inputs());
  for (std::size_t i = 0; i < inputs(); ++i)
    if (counts(i)) terms_[i] = terms_of(i);
}

template <class S>
QueryModel<S> QueryAnalysis<S>::model_at(const std::vector<std::vector<Rational>>& logits) const {
  QueryModel<S> model(inputs_, loss());
  model.evaluate([&](std::size_t i, std::size_t r, S* gaps) {
    const std::vector<Rational>& a = logits[i];
    for (std::size_t t = 0; t < a.size(); ++t) gaps[t] = Scalar<S>::from(a[r] - a[t]);
  });
  return model;
}

template <class S>
QueryTerms<S> QueryAnalysis<S>::terms_of(std::size_t i) const {
  const ScoreFacts& f = facts_->score_facts()[i];
  const std::vector<Rational>& gamma = facts_->scores()[i];
  const S* s = model_->attention().data() + model_->inputs().offset(i);
  QueryTerms<S> t;
  t.best_attention = s[f.opt];
  t.rest = t.drop = S(0);
  for (std::size_t u = 0; u < gamma.size(); ++u) {
    if (u == f.opt) continue;
    t.rest += s[u];
    t.drop += s[u] * Scalar<S>::from(f.best - gamma[u]);
  }
  const S best = Scalar<S>::from(f.best);
  const QueryLossTerms<S> at_best = query_loss_terms(loss(), best),
                          at_least = query_loss_terms(loss(), S(Scalar<S>::from(f.least)));
  t.excess = query_excess(loss(), best, t.drop);
  t.slope = query_loss_terms(loss(), S(best - t.drop)).slope;
  t.c1 = at_best.slope;
  t.M1 = at_least.slope;
  t.M2 = largest_second(loss(), f, at_best.second, at_least.second);
  t.delta = Scalar<S>::from(f.delta);
  t.range = Scalar<S>::from(f.range);
  return t;
}

template <class S>
S QueryAnalysis<S>::excess() const {
  return mean([&](std::size_t i) { return terms(i).excess; });
}

template <class S>
S QueryAnalysis<S>::gradient_norm() const {
  if (!gradient_norm_) gradient_norm_ = scaled_norm(model_->gradient());
  return *gradient_norm_;
}

template <class S>
S QueryAnalysis<S>::descent(const QueryModel<S>& model, const SelectionFacts& f) const {
  return mean([&](std::size_t i) {
    const std::vector<Rational>&a = f.logits[i], &gamma = facts_->scores()[i];
    const S* s = model.attention().data() + model.inputs().offset(i);
    S covariance(0);
    for (std::size_t t = 0; t < a.size(); ++t)
      for (std::size_t u = 0; u < t; ++u) {
        const Rational product = (a[t] - a[u]) * (gamma[t] - gamma[u]);
        if (product.sign() != 0) covariance += S(s[t] * s[u]) * Scalar<S>::from(product);
      }
    return S(model.loss_terms()[i].slope * covariance);
  });
}

template <class S>
S QueryAnalysis<S>::hessian_norm() const {
  if (!hessian_norm_) {
    const std::vector<Matrix<S>> P = token_hessians(*model_);
    const Matrix<S>& Z = model_->inputs().Z();
    if (Z.cols() <= largest_dense_dim)
      hessian_norm_ = extremes(dense_hessian(P, Z)).norm();
    else
      hessian_norm_ = between(hessian_norm_below(P, Z), hessian_norm_above(P, Z));
  }
  return *hessian_norm_;
}

template <class S>
S log_sum_exp_neg(const std::vector<Rational>& m) {
  const auto least = std::min_element(m.begin(), m.end());
  S others(0);  // the least term is 1
  for (auto it = m.begin(); it != m.end(); ++it)
    if (it != least) others += exp(S(Scalar<S>::from(*least - *it)));
  return log1p(others) - Scalar<S>::from(*least);
}

template class QueryAnalysis<DoubleBall>;
template class QueryAnalysis<Ball>;
template DoubleBall log_sum_exp_neg(const std::vector<Rational>&);
template Ball log_sum_exp_neg(const std::vector<Rational>&);

}  // namespace heed
