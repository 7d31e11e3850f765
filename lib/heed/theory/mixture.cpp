// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/mixture.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace heed {
namespace {

using Vector = std::vector<Rational>;
using Counts = std::map<Vector, std::size_t>;

Rational product(const Vector& a, const Vector& b) {
  Rational sum;
  for (std::size_t c = 0; c < a.size(); ++c)
    if (a[c].sign() != 0 && b[c].sign() != 0) sum += a[c] * b[c];
  return sum;
}

Vector token(const Matrix<Rational>& X, std::size_t t) {
  return Vector(X.row(t), X.row(t) + X.cols());
}

Counts count_tokens(const Matrix<Rational>& X) {
  Counts counts;
  for (std::size_t t = 0; t < X.rows(); ++t) ++counts[token(X, t)];
  return counts;
}

bool is_zero(const Vector& a) {
  return std::all_of(a.begin(), a.end(), [](const Rational& x) { return x.sign() == 0; });
}

/// Tokens that every sample of label y has equally often and no other sample has, with the number.
Counts signals(const std::vector<Counts>& samples, const std::vector<int>& y, int label) {
  Counts found;
  bool first = true;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (y[i] != label) continue;
    if (first) found = samples[i];
    first = false;
    std::erase_if(found, [&](const auto& f) {
      const auto it = samples[i].find(f.first);
      return it == samples[i].end() || it->second != f.second;
    });
  }
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (y[i] != label)
      std::erase_if(found, [&](const auto& f) { return samples[i].count(f.first) > 0; });
  return found;
}

/// a = s b with b != 0; nothing if they are not parallel.
std::optional<Rational> multiple(const Vector& a, const Vector& b) {
  std::size_t k = 0;
  while (k < b.size() && b[k].sign() == 0) ++k;
  if (k == b.size()) return std::nullopt;
  const Rational s = a[k] / b[k];
  for (std::size_t c = 0; c < a.size(); ++c)
    if (!(a[c] == s * b[c])) return std::nullopt;
  return s;
}

Vector first_row(const MhaInstance& instance) {
  if (instance.weights)
    for (const Matrix<Rational>& U : instance.weights->U)
      for (std::size_t t = 0; t < U.rows(); ++t)
        if (Vector u = token(U, t); !is_zero(u)) return u;
  return Vector(instance.dim());
}

/// k if a = S e_k with S > 0.
std::optional<std::size_t> axis(const Vector& a) {
  std::optional<std::size_t> k;
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c].sign() == 0) continue;
    if (k || a[c].sign() < 0) return std::nullopt;
    k = c;
  }
  return k;
}

}  // namespace

std::optional<MixtureStructure> mixture_structure(const MhaInstance& instance) {
  const std::size_t T = instance.max_tokens();
  std::vector<Counts> samples;
  for (const Matrix<Rational>& X : instance.X) {
    if (X.rows() != T) return std::nullopt;
    samples.push_back(count_tokens(X));
  }
  const Counts plus = signals(samples, instance.y, 1), minus = signals(samples, instance.y, -1);
  if (std::count(instance.y.begin(), instance.y.end(), 1) == 0 ||
      std::count(instance.y.begin(), instance.y.end(), -1) == 0)
    return std::nullopt;
  const Vector u = first_row(instance);
  std::optional<MixtureStructure> found;
  for (const auto& [a, count_a] : plus)
    for (const auto& [b, count_b] : minus) {
      const Rational S2 = product(a, a);
      if (count_a != count_b || count_a == T || S2.sign() == 0 || !(product(b, b) == S2) ||
          product(a, b).sign() != 0)
        continue;
      Vector difference = a;
      for (std::size_t c = 0; c < a.size(); ++c) difference[c] -= b[c];
      const bool matches = multiple(u, difference).has_value();
      if (found && !matches) continue;
      found =
          MixtureStructure{T, Rational(static_cast<long>(count_a), static_cast<long>(T)), a, b, S2};
      if (matches) return found;
    }
  return found;
}

std::optional<Nuisances> nuisances(const MhaInstance& instance, const MixtureStructure& mixture) {
  std::vector<Vector> nu;
  std::vector<Counts> samples;
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    samples.push_back(count_tokens(instance.X[i]));
    samples.back().erase(mixture.mu(instance.y[i]));
    for (const auto& [x, count] : samples.back()) {
      if (std::find(nu.begin(), nu.end(), x) != nu.end()) continue;
      if (!(product(x, x) == mixture.S2) || product(x, mixture.mu_plus).sign() != 0 ||
          product(x, mixture.mu_minus).sign() != 0)
        return std::nullopt;
      for (const Vector& other : nu)
        if (product(x, other).sign() != 0) return std::nullopt;
      nu.push_back(x);
    }
  }
  Nuisances result{nu.size(), true};
  for (const int label : {1, -1}) {
    bool some = false;
    for (std::size_t i = 0; i < samples.size(); ++i)
      some = some || (instance.y[i] == label && samples[i].size() == nu.size() &&
                      std::all_of(samples[i].begin(), samples[i].end(), [&](const auto& s) {
                        return s.second == samples[i].begin()->second;
                      }));
    result.balanced = result.balanced && some;
  }
  return result;
}

bool zero_attention_weights(const MhaInstance& instance) {
  return std::all_of(instance.weights->W.begin(), instance.weights->W.end(),
                     [](const Matrix<Rational>& W) { return is_zero(W.entries()); });
}

std::optional<OneStepWeights> one_step_weights(const MhaInstance& instance,
                                               const std::vector<Rational>& ubar) {
  if (!instance.weights || !zero_attention_weights(instance)) return std::nullopt;
  OneStepWeights weights{ubar, {}, Rational()};
  for (const Matrix<Rational>& U : instance.weights->U) {
    const Vector u = token(U, 0);
    for (std::size_t t = 1; t < U.rows(); ++t)
      if (token(U, t) != u) return std::nullopt;
    const std::optional<Rational> s =
        is_zero(u) ? std::optional<Rational>(Rational(0)) : multiple(u, ubar);
    if (!s) return std::nullopt;
    weights.s.push_back(*s);
    weights.c2 += *s * *s;
  }
  weights.c2 /= Rational(static_cast<long>(instance.heads()));
  return weights;
}

std::optional<OneStepWeights> one_step_weights(const MhaInstance& instance) {
  return one_step_weights(instance, first_row(instance));
}

std::optional<MhaInstance> without_noise(const MhaInstance& instance,
                                         const MixtureStructure& mixture) {
  const std::optional<std::size_t> a = axis(mixture.mu_plus), b = axis(mixture.mu_minus);
  if (!a || !b || instance.dim() < 3) return std::nullopt;
  MhaInstance clean = instance;
  for (std::size_t i = 0; i < clean.samples(); ++i) {
    Matrix<Rational>& X = clean.X[i];
    for (std::size_t t = 0; t < X.rows(); ++t) {
      if (token(X, t) == mixture.mu(clean.y[i])) continue;
      std::optional<std::size_t> best;
      for (std::size_t c = 0; c < X.cols(); ++c)
        if (c != *a && c != *b && (!best || X(t, c) > X(t, *best))) best = c;
      for (std::size_t c = 0; c < X.cols(); ++c)
        X(t, c) = c == *best ? mixture.mu_plus[*a] : Rational(0);
    }
  }
  return clean;
}

}  // namespace heed
