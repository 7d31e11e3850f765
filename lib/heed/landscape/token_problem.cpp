// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/token_problem.hpp"

#include <stdexcept>

namespace heed {
namespace {

void check(const TokenProblem& problem) {
  if (problem.keys.empty() || problem.keys.size() != problem.values.size())
    throw std::invalid_argument("a token problem has one value for each key, and at least one key");
}

// e^{-x/2} for x >= 0, by ends, so that a wide ball gives at most 1.
Ball exp_of_minus_half(const Ball& x) {
  const Ball least = max(x.lower(), Ball(0));
  return Ball::hull(exp(ldexp(-x.upper(), -1)), exp(ldexp(-least, -1)));
}

TokenValue gaussian(const TokenProblem& problem, const Ball& q) {
  const Ball beta = enclose(problem.beta);
  TokenValue sum;
  for (std::size_t b = 0; b < problem.keys.size(); ++b) {
    const Ball distance = q - Ball(problem.keys[b]), scaled = beta * square(distance);
    const Ball term = Ball(problem.values[b]) * exp_of_minus_half(scaled);
    sum.phi += term;
    sum.first -= term * distance;
    sum.second += term * (scaled - Ball(1));
  }
  sum.first *= beta;
  sum.second *= beta;
  if (problem.kernel == AttentionKernel::gaussian_over_n) {
    const Ball n(static_cast<long>(problem.keys.size()));
    for (Ball* part : {&sum.phi, &sum.first, &sum.second}) *part /= n;
  }
  sum.residual = sum.phi - Ball(problem.target);
  return sum;
}

// (k_l - k_b)(q - shift), the difference of two logits without beta.
Ball logit_gap(const TokenProblem& problem, const Ball& q, std::size_t l, std::size_t b) {
  const Rational gap = problem.keys[l] - problem.keys[b];
  if (problem.kernel == AttentionKernel::softmax) return Ball(gap) * q;
  return Ball(gap) * (q - Ball((problem.keys[l] + problem.keys[b]) / Rational(2)));
}

std::vector<Ball> probabilities(const TokenProblem& problem, const Ball& q, const Ball& beta) {
  const std::size_t n = problem.keys.size();
  std::vector<Ball> s(n);
  for (std::size_t b = 0; b < n; ++b) {
    Ball least(1), most(1);  // by ends, so that a wide ball keeps the denominator positive
    for (std::size_t l = 0; l < n; ++l) {
      if (l == b) continue;
      const Ball gap = beta * logit_gap(problem, q, l, b);
      least += exp(gap.lower());
      most += exp(gap.upper());
    }
    s[b] = Ball::hull(Ball(1) / most, Ball(1) / least);
  }
  return s;
}

TokenValue normalised(const TokenProblem& problem, const Ball& q) {
  const Ball beta = enclose(problem.beta);
  const std::size_t n = problem.keys.size();
  const std::vector<Ball> s = probabilities(problem, q, beta);
  TokenValue sum;
  for (std::size_t b = 0; b < n; ++b) {
    sum.phi += s[b] * Ball(problem.values[b]);
    sum.residual += s[b] * Ball(problem.values[b] - problem.target);
    Ball value_gap, key_gap;
    for (std::size_t l = 0; l < n; ++l) {
      const Rational dp = problem.values[b] - problem.values[l];
      const Rational dk = problem.keys[b] - problem.keys[l];
      value_gap += s[l] * Ball(dp);
      key_gap += s[l] * Ball(dk);
      if (l > b) sum.first += s[b] * s[l] * Ball(dp * dk);
    }
    sum.second += s[b] * value_gap * square(key_gap);
  }
  sum.first *= beta;
  sum.second *= square(beta);
  return sum;
}

}  // namespace

Ball enclose(const KernelBeta& beta) {
  return beta.root ? sqrt(Ball(beta.value)) : Ball(beta.value);
}

Ball TokenValue::loss() const { return ldexp(square(residual), -1); }

TokenValue evaluate(const TokenProblem& problem, const Ball& q) {
  check(problem);
  return is_normalised(problem.kernel) ? normalised(problem, q) : gaussian(problem, q);
}

}  // namespace heed
