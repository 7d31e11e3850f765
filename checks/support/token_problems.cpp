// SPDX-License-Identifier: Apache-2.0
#include "checks/support/token_problems.hpp"

#include <algorithm>
#include <cmath>

#include "checks/support/numbers.hpp"

namespace heed::checks {
namespace {

Rational draw_key(Source& s, const std::string& kind) {
  if (kind == "integers") return Rational(s.between(-6, 6));
  if (kind == "halves") return Rational(s.between(-9, 9), 2);
  if (kind == "fractions") return Rational(s.between(-20, 20), 1 + s.between(0, 3));
  if (kind == "close") return Rational(s.between(-2, 2)) + Rational(s.between(-3, 3), 1024);
  return Rational(s.sign() * 5 * s.unit());
}

std::vector<Rational> draw_keys(Source& s, const std::string& kind, std::size_t n) {
  std::vector<Rational> keys(n);
  for (std::size_t b = 0; b < n; ++b)
    keys[b] = b > 0 && s.chance(10) ? keys[s.index(b)] : draw_key(s, kind);
  if (kind != "symmetric") return keys;
  for (std::size_t b = 0; b < n; ++b) keys[b] = Rational(s.between(1, 6));
  for (std::size_t b = 0; b < n / 2; ++b) keys[n - 1 - b] = -keys[b];
  if (n % 2 == 1) keys[n / 2] = Rational(0);
  return keys;
}

Rational draw_target(Source& s, const std::string& kind, const std::vector<Rational>& values) {
  Rational mean;
  for (const Rational& v : values) mean += v / Rational(static_cast<long>(values.size()));
  if (kind == "a value") return values[s.index(values.size())];
  if (kind == "mean") return mean;
  if (kind == "beyond") return *std::max_element(values.begin(), values.end()) + Rational(1, 4);
  if (kind == "zero") return Rational(0);
  return mean + Rational(s.between(-12, 12), 8);
}

}  // namespace

Drawn draw_token_problem(Source& s, const SizeLimit& limit) {
  const auto n = static_cast<std::size_t>(s.between(1, limit.tokens));
  const std::string keys = s.weighted<std::string>({{30, "integers"},
                                                    {15, "halves"},
                                                    {15, "fractions"},
                                                    {10, "close"},
                                                    {15, "reals"},
                                                    {15, "symmetric"}});
  const std::string values =
      s.weighted<std::string>({{50, "integers"}, {30, "reals"}, {15, "positive"}, {5, "equal"}});
  const std::string target = s.weighted<std::string>(
      {{50, "near"}, {15, "a value"}, {15, "mean"}, {10, "beyond"}, {10, "zero"}});
  const std::vector<Rational> k = draw_keys(s, keys, n);
  std::vector<Rational> v(n);
  for (std::size_t b = 0; b < n; ++b) {
    v[b] = values == "reals" ? Rational(s.sign() * 3 * s.unit()) : Rational(s.between(-4, 4));
    if (values == "positive") v[b] = abs(v[b]);
    if (values == "equal" || (keys == "symmetric" && b >= (n + 1) / 2))
      v[b] = values == "equal" ? v[0] : v[n - 1 - b];
  }
  MhaInstance m;
  Matrix<Rational> x(n, 1), u(n, 1), w(1, 1);
  for (std::size_t b = 0; b < n; ++b) {
    x(b, 0) = k[b];
    u(b, 0) = v[b];
  }
  w(0, 0) = draw_target(s, target, v);
  m.X = {x};
  m.y = {s.chance(75) ? 1 : -1};
  m.weights = MhaWeights{{u}, {w}};
  return {std::move(m), {"keys:" + keys, "values:" + values, "target:" + target}};
}

TokenProblem token_problem_of(const MhaInstance& m, AttentionKernel kernel) {
  TokenProblem p;
  for (std::size_t b = 0; b < m.X[0].rows(); ++b) {
    p.keys.push_back(m.X[0](b, 0));
    p.values.push_back(m.weights->U[0](b, 0));
  }
  p.target = m.weights->W[0](0, 0);
  if (m.y[0] < 0) p.beta = {Rational(1, 3), true};
  p.kernel = kernel;
  return p;
}

MhaInstance with_few_keys(const MhaInstance& m, std::size_t most) {
  std::vector<Rational> different;
  std::vector<std::size_t> kept;
  for (std::size_t b = 0; b < m.X[0].rows(); ++b) {
    const Rational& k = m.X[0](b, 0);
    if (std::find(different.begin(), different.end(), k) == different.end()) {
      if (different.size() == most) continue;
      different.push_back(k);
    }
    kept.push_back(b);
  }
  MhaInstance few = m;
  few.X[0] = few.weights->U[0] = Matrix<Rational>(kept.size(), 1);
  for (std::size_t b = 0; b < kept.size(); ++b) {
    few.X[0](b, 0) = m.X[0](kept[b], 0);
    few.weights->U[0](b, 0) = m.weights->U[0](kept[b], 0);
  }
  return few;
}

TextbookToken textbook_token(const TokenProblem& p, const Ball& q) {
  const Ball beta = enclose(p.beta);
  // Weights w_b, their sum Z, the weighted values N, with two derivatives.
  Ball z, z1, z2, n, n1, n2;
  for (std::size_t b = 0; b < p.keys.size(); ++b) {
    const Ball k(p.keys[b]), v(p.values[b]);
    const bool softmax = p.kernel == AttentionKernel::softmax;
    const Ball w = exp(softmax ? beta * k * q : -beta * (q - k) * (q - k) / Ball(2));
    const Ball rate = softmax ? beta * k : beta * (k - q);
    const Ball w1 = w * rate, w2 = softmax ? w1 * rate : w1 * rate - beta * w;
    z += w, z1 += w1, z2 += w2;
    n += w * v, n1 += w1 * v, n2 += w2 * v;
  }
  if (!is_normalised(p.kernel)) {
    const Ball scale(p.kernel == AttentionKernel::gaussian ? 1L : static_cast<long>(p.keys.size()));
    return {n / scale, n / scale - Ball(p.target), n1 / scale, n2 / scale};
  }
  const Ball phi = n / z, first = (n1 - phi * z1) / z;
  return {phi, phi - Ball(p.target), first, (n2 - phi * z2 - Ball(2) * first * z1) / z};
}

Ball textbook_loss_slope(const TokenProblem& p, const Ball& q) {
  const TextbookToken t = textbook_token(p, q);
  return t.residual * t.first;
}

ScannedToken::ScannedToken(const TokenProblem& p)
    : target_(p.target.nearest_double()),
      beta_(p.beta.root ? std::sqrt(p.beta.value.nearest_double()) : p.beta.value.nearest_double()),
      kernel_(p.kernel) {
  for (const Rational& k : p.keys) keys_.push_back(k.nearest_double());
  for (const Rational& v : p.values) values_.push_back(v.nearest_double());
}

ScannedToken::Value ScannedToken::value(double q) const {
  const bool normalised = is_normalised(kernel_);
  std::vector<double> exponent;
  for (const double k : keys_)
    exponent.push_back(kernel_ == AttentionKernel::softmax ? beta_ * k * q
                                                           : -beta_ * (q - k) * (q - k) / 2);
  const double top = normalised ? *std::max_element(exponent.begin(), exponent.end()) : 0;
  double z = 0, n = 0, z1 = 0, n1 = 0;
  for (std::size_t b = 0; b < keys_.size(); ++b) {
    const double w = std::exp(exponent[b] - top), shift = normalised ? keys_[b] : keys_[b] - q;
    z += w;
    n += w * values_[b];
    z1 += w * shift;
    n1 += w * shift * values_[b];
  }
  if (normalised) return {n / z - target_, beta_ * (n1 / z - n / z * (z1 / z))};
  if (kernel_ == AttentionKernel::gaussian)
    z = 1;
  else
    z = static_cast<double>(keys_.size());
  return {n / z - target_, beta_ * n1 / z};
}

double ScannedToken::loss(double q) const {
  const double r = value(q).residual;
  return r * r / 2;
}

double ScannedToken::loss_slope(double q) const {
  const Value v = value(q);
  return v.residual * v.slope;
}

}  // namespace heed::checks
