// SPDX-License-Identifier: Apache-2.0
#include "heed/train/token_descent.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heed::approx {
namespace {

// phi(q) and phi'(q).
struct Response {
  double value, slope;
};

Response respond(const TokenLoss& t, double q) {
  double value = 0, slope = 0;
  if (t.kernel == AttentionKernel::gaussian) {
    for (std::size_t b = 0; b < t.keys.size(); ++b) {
      const double gap = q - t.keys[b], s = std::exp(-gap * gap / 2) * t.values[b];
      value += s;
      slope -= s * gap;
    }
    return {value, slope};
  }
  double top = q * t.keys[0];
  for (const double k : t.keys) top = std::max(top, q * k);
  double total = 0, key = 0;
  for (std::size_t b = 0; b < t.keys.size(); ++b) {
    const double s = std::exp(q * t.keys[b] - top);
    total += s;
    value += s * t.values[b];
    key += s * t.keys[b];
  }
  value /= total;
  key /= total;
  for (std::size_t b = 0; b < t.keys.size(); ++b)
    slope += std::exp(q * t.keys[b] - top) / total * (t.values[b] - value) * (t.keys[b] - key);
  return {value, slope};
}

std::vector<double> column(const Matrix<Rational>& m) {
  std::vector<double> x;
  for (const Rational& entry : m.entries()) x.push_back(entry.nearest_double());
  return x;
}

}  // namespace

double TokenLoss::value(double query) const {
  const double residual = respond(*this, query).value - target;
  return residual * residual / 2;
}

double TokenLoss::slope(double query) const {
  const Response r = respond(*this, query);
  return (r.value - target) * r.slope;
}

TokenLoss token_loss(const KernelInstance& m, AttentionKernel kernel) {
  const auto same_target = [&](const Rational& y) { return y == m.Y[0](0, 0); };
  const bool separate = m.samples() == 1 && m.heads() == 1 && m.dim() == m.tokens() &&
                        m.X[0] == token_readout(m.tokens()) && m.readout == m.X[0] &&
                        m.key_dim() == 1 && m.value_dim() == 1 && m.output_dim() == 1 &&
                        m.weights.W_O[0](0, 0) == Rational(1) && m.beta == KernelBeta{} &&
                        std::all_of(m.Y[0].entries().begin(), m.Y[0].entries().end(), same_target);
  if (!separate || (kernel != AttentionKernel::softmax && kernel != AttentionKernel::gaussian))
    throw std::invalid_argument(
        "token_loss: expected separate tokens with one target, beta = 1, softmax or gaussian");
  return {column(m.weights.W_K[0]), column(m.weights.W_V[0]), m.Y[0](0, 0).nearest_double(),
          kernel};
}

std::vector<double> descend_token(const TokenLoss& token, const std::vector<double>& starts,
                                  double step, std::size_t evaluations) {
  std::vector<double> losses;
  for (double q : starts) {
    for (std::size_t t = 1; t < evaluations; ++t) q -= step * token.slope(q);
    losses.push_back(token.value(q));
  }
  return losses;
}

}  // namespace heed::approx
