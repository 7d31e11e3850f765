// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/ntk_margin.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "heed/margin/exact_frobenius.hpp"

namespace heed {
namespace {

constexpr std::size_t most_exact_samples = 200, most_exact_numbers = 1'000'000;

KernelMargin zero_margin(std::size_t n, const std::vector<std::size_t>& support) {
  KernelMargin margin;
  margin.alpha.resize(n);
  for (const std::size_t k : support)
    margin.alpha[k] = Rational(1, static_cast<long>(support.size()));
  margin.support = support;
  return margin;
}

Rational product(const Rational* a, const Rational* b, std::size_t n) {
  Rational sum;
  for (std::size_t c = 0; c < n; ++c)
    if (a[c].sign() != 0 && b[c].sign() != 0) sum += a[c] * b[c];
  return sum;
}

/// x_t^T W (x_s - x_0) = 0 for all t and s.
bool uniform_attention(const Matrix<Rational>& X, const Matrix<Rational>& W) {
  const std::size_t d = X.cols();
  const auto zero = [](const Rational& x) { return x.sign() == 0; };
  if (std::all_of(W.entries().begin(), W.entries().end(), zero)) return true;
  std::vector<Rational> q(d);
  for (std::size_t t = 0; t < X.rows(); ++t) {
    for (std::size_t c = 0; c < d; ++c) {
      q[c] = Rational(0);
      for (std::size_t b = 0; b < d; ++b) q[c] += X(t, b) * W(b, c);
    }
    const Rational first = product(q.data(), X.row(0), d);
    for (std::size_t s = 1; s < X.rows(); ++s)
      if (!(product(q.data(), X.row(s), d) == first)) return false;
  }
  return true;
}

/// The features of one sample and head under uniform attention: rows o_t = mean token, and
/// sum_t x_t (C u_t)^T with C the covariance of the tokens.
void add_features(const Matrix<Rational>& X, const Matrix<Rational>& U, bool negative,
                  Rational* row) {
  const std::size_t T = X.rows(), d = X.cols();
  const Rational share(1, static_cast<long>(T));
  std::vector<Rational> mean(d);
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t c = 0; c < d; ++c) mean[c] += share * X(t, c);
  Matrix<Rational> centred = X;
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t c = 0; c < d; ++c) centred(t, c) -= mean[c];
  const auto put = [&](Rational* at, const Rational& x) { *at = negative ? -x : x; };
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t c = 0; c < d; ++c) put(row + t * d + c, mean[c]);
  Matrix<Rational> G(d, d);
  for (std::size_t t = 0; t < T; ++t) {
    std::vector<Rational> Cu(d);
    for (std::size_t s = 0; s < T; ++s) {
      const Rational factor = share * product(centred.row(s), U.row(t), d);
      if (factor.sign() == 0) continue;
      for (std::size_t c = 0; c < d; ++c) Cu[c] += factor * centred(s, c);
    }
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t c = 0; c < d; ++c) G(b, c) += X(t, b) * Cu[c];
  }
  Rational* w = row + U.rows() * d;
  for (std::size_t k = 0; k < d * d; ++k) put(w + k, G.data()[k]);
}

}  // namespace

template <class S>
Matrix<Ball> signed_ntk_kernel(const MhaModel<S>& model) {
  const Matrix<S> K = model.ntk_kernel();
  const std::vector<int>& y = model.inputs().y;
  Matrix<Ball> Q(K.rows(), K.cols());
  for (std::size_t i = 0; i < K.rows(); ++i)
    for (std::size_t j = 0; j < K.cols(); ++j)
      Q(i, j) = y[i] == y[j] ? to_ball(K(i, j)) : -to_ball(K(i, j));
  return Q;
}

template <class S>
KernelMargin ntk_margin(const MhaModel<S>& model) {
  const MhaInputs<S>& in = model.inputs();
  const std::size_t n = in.samples();
  for (std::size_t i = 0; i < n; ++i) {
    const S* psi = model.phi_gradients().row(i);
    if (std::all_of(psi, psi + in.parameters(),
                    [](const S& x) { return x.is_exact() && x.contains_zero(); }))
      return zero_margin(n, {i});
    for (std::size_t j = 0; j < i; ++j)
      if (in.first_equal[i] == in.first_equal[j] && in.y[i] != in.y[j])
        return zero_margin(n, {j, i});
  }
  return kernel_margin(signed_ntk_kernel(model));
}

std::optional<Matrix<Rational>> rational_ntk_features(const MhaInstance& instance) {
  require_weights(instance);
  const std::size_t d = instance.dim(), T = instance.max_tokens(), H = instance.heads();
  for (const Matrix<Rational>& X : instance.X)
    for (const Matrix<Rational>& W : instance.weights->W)
      if (!uniform_attention(X, W)) return std::nullopt;
  Matrix<Rational> F(instance.samples(), instance.parameters());
  for (std::size_t i = 0; i < F.rows(); ++i)
    for (std::size_t h = 0; h < H; ++h)
      add_features(instance.X[i], instance.weights->U[h], instance.y[i] < 0,
                   F.row(i) + h * (T + d) * d);
  return F;
}

std::optional<NtkMargin> exact_ntk_margin(const MhaInstance& instance) {
  if (instance.samples() > most_exact_samples ||
      instance.samples() * instance.parameters() > most_exact_numbers)
    return std::nullopt;
  std::optional<Matrix<Rational>> features = rational_ntk_features(instance);
  if (!features) return std::nullopt;
  RowsInstance rows;
  rows.F = *std::move(features);
  const FrobeniusMargin margin = exact_frobenius(margin_problem(rows));
  NtkMargin result;
  const auto* bracket = std::get_if<MarginBracket>(&margin.result);
  if (bracket) {
    result.bounds.alpha = bracket->lambda;
    // min ||W||^2 over the features sqrt(H) psi is 1 / (H gamma^2).
    result.squared = Rational(1) / (Rational(static_cast<long>(instance.heads())) * bracket->lo);
    const Ball gamma = sqrt(Ball(*result.squared));
    result.bounds.lower = gamma.lower();
    result.bounds.upper = gamma.upper();
  } else {
    result.bounds.alpha = std::get<Infeasibility>(margin.result).lambda;
    result.squared = Rational(0);
  }
  Rational sum;
  for (const Rational& x : result.bounds.alpha) sum += x;
  for (std::size_t k = 0; k < result.bounds.alpha.size(); ++k) {
    result.bounds.alpha[k] /= sum;
    if (result.bounds.alpha[k].sign() > 0) result.bounds.support.push_back(k);
  }
  return result;
}

template Matrix<Ball> signed_ntk_kernel(const MhaModel<DoubleBall>&);
template Matrix<Ball> signed_ntk_kernel(const MhaModel<Ball>&);
template KernelMargin ntk_margin(const MhaModel<DoubleBall>&);
template KernelMargin ntk_margin(const MhaModel<Ball>&);

}  // namespace heed
