// SPDX-License-Identifier: Apache-2.0
#include "checks/support/weights.hpp"

#include <algorithm>
#include <array>

#include "checks/support/tokens.hpp"

namespace heed::checks {
namespace {

Rational sum_of_products(std::size_t n, const Rational* a, const Rational* b) {
  Rational sum;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

void scale(Matrix<Rational>& m, const Rational& factor) {
  for (Rational& x : m.entries()) x *= factor;
}

// W <- W (|e|^2 I - e e^T) has W e = 0 for e = x_s - x_r.
void annihilate(Matrix<Rational>& w, const std::vector<Rational>& e) {
  const Rational norm2 = sum_of_products(e.size(), e.data(), e.data());
  for (std::size_t b = 0; b < w.rows(); ++b) {
    const Rational along = sum_of_products(e.size(), w.row(b), e.data());
    for (std::size_t c = 0; c < w.cols(); ++c) w(b, c) = norm2 * w(b, c) - along * e[c];
  }
}

void set_one_step(Source& s, MhaInstance& instance) {
  const std::size_t d = instance.dim();
  std::vector<Rational> mean(d);
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    const Matrix<Rational>& x = instance.X[i];
    const Rational weight(instance.y[i], static_cast<long>(x.rows() * instance.samples()));
    for (std::size_t t = 0; t < x.rows(); ++t)
      for (std::size_t c = 0; c < d; ++c) mean[c] += weight * x(t, c);
  }
  for (std::size_t h = 0; h < instance.heads(); ++h) {
    const Rational step(s.sign() * s.between(1, 6), 2);
    for (std::size_t t = 0; t < instance.max_tokens(); ++t)
      for (std::size_t c = 0; c < d; ++c) instance.weights->U[h](t, c) = step * mean[c];
    scale(instance.weights->W[h], 0);
  }
}

}  // namespace

const char* to_string(WeightKind kind) {
  static constexpr std::array names{"generic",  "zero_U",    "zero_W", "zero",     "repeated",
                                    "one_step", "saturated", "ties",   "low_rank", "large_U"};
  return names[static_cast<std::size_t>(kind)];
}

WeightKind draw_weight_kind(Source& s) {
  using K = WeightKind;
  return s.weighted<K>({{42, K::generic},
                        {4, K::zero_U},
                        {5, K::zero_W},
                        {2, K::zero},
                        {5, K::repeated},
                        {5, K::one_step},
                        {18, K::saturated},
                        {7, K::ties},
                        {6, K::low_rank},
                        {6, K::large_U}});
}

Rational largest_gap(const MhaInstance& instance) {
  const std::size_t d = instance.dim();
  Rational largest;
  std::vector<Rational> q(d);
  for (const Matrix<Rational>& w : instance.weights->W)
    for (const Matrix<Rational>& x : instance.X)
      for (std::size_t t = 0; t < x.rows(); ++t) {
        for (std::size_t c = 0; c < d; ++c) {
          q[c] = 0;
          for (std::size_t b = 0; b < d; ++b) q[c] += x(t, b) * w(b, c);
        }
        Rational low = sum_of_products(d, q.data(), x.row(0)), high = low;
        for (std::size_t s = 1; s < x.rows(); ++s) {
          const Rational z = sum_of_products(d, q.data(), x.row(s));
          low = std::min(low, z);
          high = std::max(high, z);
        }
        largest = std::max(largest, high - low);
      }
  return largest;
}

void draw_weights(Source& s, WeightKind kind, NumberKind numbers, std::size_t heads,
                  MhaInstance& instance) {
  const std::size_t T = instance.max_tokens(), d = instance.dim();
  const NumberKind numbers_W = s.chance(70) ? numbers : draw_number_kind(s);
  MhaWeights weights;
  for (std::size_t h = 0; h < heads; ++h) {
    weights.U.push_back(draw_matrix(s, numbers, T, d));
    weights.W.push_back(draw_matrix(s, numbers_W, d, d));
  }
  instance.weights = std::move(weights);
  MhaWeights& w = *instance.weights;
  switch (kind) {
    case WeightKind::generic:
      break;
    case WeightKind::zero_U:
      for (auto& u : w.U) scale(u, 0);
      break;
    case WeightKind::zero_W:
      for (auto& m : w.W) scale(m, 0);
      break;
    case WeightKind::zero:
      for (auto& u : w.U) scale(u, 0);
      for (auto& m : w.W) scale(m, 0);
      break;
    case WeightKind::repeated:
      for (std::size_t h = 1; h < heads; ++h) {
        w.U[h] = w.U[0];
        w.W[h] = w.W[0];
      }
      break;
    case WeightKind::one_step:
      set_one_step(s, instance);
      break;
    case WeightKind::saturated: {
      const Rational gap = largest_gap(instance);
      if (gap.sign() == 0) break;
      const Rational factor = round_to_bits(Rational(s.between(30, 800)) / gap, 12);
      for (auto& m : w.W) scale(m, factor);
      break;
    }
    case WeightKind::ties: {
      const Matrix<Rational>& x = instance.X[s.index(instance.samples())];
      const std::size_t a = s.index(x.rows()), b = s.index(x.rows());
      std::vector<Rational> e(d);
      for (std::size_t c = 0; c < d; ++c) e[c] = x(a, c) - x(b, c);
      for (auto& m : w.W) annihilate(m, e);
      break;
    }
    case WeightKind::low_rank:
      for (auto& m : w.W)
        for (std::size_t b = 1; b < d; ++b) {
          const Rational factor(s.between(-3, 3));
          for (std::size_t c = 0; c < d; ++c) m(b, c) = factor * m(0, c);
        }
      break;
    case WeightKind::large_U: {
      Rational factor(s.between(1, 9));
      for (int k = s.between(1, 6); k > 0; --k) factor *= Rational(10);
      for (auto& u : w.U) scale(u, factor);
      break;
    }
  }
}

}  // namespace heed::checks
