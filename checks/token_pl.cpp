// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/token_pl.hpp"

#include <algorithm>

#include "checks/support/certified.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/certificate/landscape_theorem.hpp"
#include "heed/landscape/token_problem.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::checks {
namespace {

Matrix<Rational> first_rows(const Matrix<Rational>& a, std::size_t rows, const Rational& scale) {
  Matrix<Rational> b(rows, a.cols());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) b(i, j) = a(i, j) * scale;
  return b;
}

// Tokens I_n, keys the tokens of the first sample (of head h by 1 + h/2), queries U_h, values from
// W_h.
KernelInstance layer_of(const MhaInstance& m, std::size_t n, std::size_t heads) {
  KernelInstance k;
  k.X = {token_readout(n)};
  k.readout = token_readout(n);
  k.Y = {Matrix<Rational>(n, 1)};
  k.beta = m.y[0] > 0 ? KernelBeta{} : KernelBeta{Rational(1, 3), true};
  Matrix<Rational> one(1, 1);
  one(0, 0) = Rational(1);
  for (std::size_t h = 0; h < heads; ++h) {
    const Rational scale = Rational(1) + Rational(static_cast<long>(h), 2);
    k.weights.W_K.push_back(first_rows(m.X[0], n, scale));
    k.weights.W_Q.push_back(first_rows(m.weights->U[h], n, Rational(1)));
    Matrix<Rational> values(n, 1);
    const Matrix<Rational>& w = m.weights->W[h];
    for (std::size_t b = 0; b < n; ++b)
      values(b, 0) = w.data()[b % w.size()] + Rational(static_cast<long>(b * (b + h)), 4);
    k.weights.W_V.push_back(values);
    k.weights.W_O.push_back(one);
  }
  for (std::size_t a = 0; a < n; ++a)
    k.Y[0](a, 0) = m.X[0](a, 0) + Rational(static_cast<long>(a), 2);
  return k;
}

Ball constant(const PositiveCertificate& c, const std::string& name) {
  for (const NamedConstant& entry : c.constants)
    if (entry.name == name) return entry.value;
  fail("no constant " + name);
}

// S_ab and its gradient in q, with balls.
struct Row {
  std::vector<Ball> s;
  std::vector<std::vector<Ball>> gradient;
};

Row attention_row(const KernelInstance& m, std::size_t h, const std::vector<Ball>& q,
                  AttentionKernel kernel) {
  const Ball beta = enclose(m.beta);
  const Matrix<Rational>& k = m.weights.W_K[h];
  Row row;
  Ball total;
  std::vector<Ball> mean(k.cols());
  for (std::size_t b = 0; b < k.rows(); ++b) {
    Ball exponent;
    std::vector<Ball> slope;
    for (std::size_t c = 0; c < k.cols(); ++c) {
      const Ball key(k(b, c)), gap = key - q[c];
      const bool softmax = kernel == AttentionKernel::softmax;
      exponent += softmax ? key * q[c] : -ldexp(square(gap), -1);
      slope.push_back(beta * (softmax ? key : gap));
    }
    row.s.push_back(exp(beta * exponent));
    row.gradient.push_back(slope);
    total += row.s.back();
  }
  if (!is_normalised(kernel)) {
    for (std::size_t b = 0; b < k.rows(); ++b)
      for (Ball& x : row.gradient[b]) x *= row.s[b];
    return row;
  }
  for (std::size_t b = 0; b < k.rows(); ++b) {
    row.s[b] /= total;
    for (std::size_t c = 0; c < k.cols(); ++c) mean[c] += row.s[b] * row.gradient[b][c];
  }
  for (std::size_t b = 0; b < k.rows(); ++b)
    for (std::size_t c = 0; c < k.cols(); ++c)
      row.gradient[b][c] = row.s[b] * (row.gradient[b][c] - mean[c]);
  return row;
}

// g and grad g of token a at stacked queries.
struct TokenLoss {
  Ball phi, residual;
  std::vector<Ball> gradient;
  Ball loss() const { return ldexp(square(residual), -1); }
};

TokenLoss token_loss(const KernelInstance& m, std::size_t a,
                     const std::vector<std::vector<Ball>>& q, AttentionKernel kernel) {
  TokenLoss t;
  for (std::size_t h = 0; h < m.heads(); ++h) {
    const Row row = attention_row(m, h, q[h], kernel);
    std::vector<Ball> slope(m.key_dim());
    for (std::size_t b = 0; b < m.tokens(); ++b) {
      const Ball value(m.weights.W_V[h](b, 0));
      t.phi += row.s[b] * value;
      for (std::size_t c = 0; c < slope.size(); ++c) slope[c] += row.gradient[b][c] * value;
    }
    t.gradient.insert(t.gradient.end(), slope.begin(), slope.end());
  }
  t.residual = t.phi - Ball(m.Y[0](a, 0));
  for (Ball& x : t.gradient) x *= t.residual;
  return t;
}

std::vector<std::vector<Ball>> queries(const KernelInstance& m, std::size_t a) {
  std::vector<std::vector<Ball>> q(m.heads());
  for (std::size_t h = 0; h < m.heads(); ++h)
    for (std::size_t c = 0; c < m.key_dim(); ++c) q[h].push_back(Ball(m.weights.W_Q[h](a, c)));
  return q;
}

// Half the squared distance of y to the sum over the heads of [min P, max P].
Rational least_loss(const KernelInstance& m, std::size_t a) {
  Rational lo, hi;
  for (const Matrix<Rational>& v : m.weights.W_V) {
    lo += *std::min_element(v.entries().begin(), v.entries().end());
    hi += *std::max_element(v.entries().begin(), v.entries().end());
  }
  const Rational& y = m.Y[0](a, 0);
  const Rational gap = y < lo ? lo - y : (hi < y ? y - hi : Rational());
  return gap * gap / Rational(2);
}

void require_confirmed(const KernelInstance& m, AttentionKernel kernel,
                       const PositiveCertificate& c) {
  const LandscapeProblem problem{m, kernel, KernelBlock::query};
  const Checked answer = heedcheck(problem, positive_certificate(problem, c));
  require(answer.valid, "heedcheck: " + answer.reason);
}

void lojasiewicz(const MhaInstance& drawn, Tally& tally) {
  if (!is_tame(drawn) || drawn.X[0].rows() == 0) return;
  const std::size_t n = std::min(drawn.X[0].rows(), drawn.dim() + 1);
  const KernelInstance m = layer_of(drawn, n, drawn.heads());
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian_normalised}) {
    const PositiveCertificate c = certify_lojasiewicz(m, kernel);
    ++tally[std::string(to_string(c.kind)) + " " + std::string(kernel_word(kernel))];
    if (c.kind != VerdictKind::proved) continue;
    require_confirmed(m, kernel, c);
    if (n == 1) continue;
    const PrecisionScope scope(1024);
    Ball slope2, excess, least2;
    const Ball token_constant = constant(c, "least_token_constant");
    require(certainly(positive(token_constant)), "the constant is not positive");
    for (std::size_t a = 0; a < n; ++a) {
      const TokenLoss t = token_loss(m, a, queries(m, a), kernel);
      const Ball above = t.loss() - Ball(least_loss(m, a));
      const Ball slope = sqrt_nonnegative(squared_norm(t.gradient));
      require(!certainly(less(slope, token_constant * above)), "|grad g| >= c (g - inf g)");
      slope2 += square(slope);
      excess += above;
    }
    require(!certainly(less(sqrt_nonnegative(slope2), constant(c, "constant") * excess)),
            "|grad f| >= c (f - inf f)");
  }
}

// A step at the largest rate allowed, for every token.
void overshoot(const MhaInstance& drawn, Tally& tally) {
  if (!is_tame(drawn) || drawn.X[0].rows() == 0) return;
  const std::size_t n = std::min(drawn.X[0].rows(), drawn.dim());
  if (n == 0) return;
  KernelInstance m = layer_of(drawn, n, 1);
  for (Rational& v : m.weights.W_V[0].entries()) v = abs(v) + Rational(1, 8);
  for (std::size_t a = 0; a < n; ++a) {
    const Ball phi = token_loss(m, a, queries(m, a), AttentionKernel::gaussian).phi;
    m.Y[0](a, 0) = Rational(approx::to_double(phi) * 0.625);
  }
  const PositiveCertificate c = certify_overshoot(m, AttentionKernel::gaussian);
  ++tally[std::string(to_string(c.kind)) + " " + c.reason.substr(0, 40)];
  if (c.kind != VerdictKind::proved) return;
  require_confirmed(m, AttentionKernel::gaussian, c);
  const PrecisionScope scope(1024);
  const Ball step = constant(c, "step_bound").lower();
  const Ball rate = Ball(1) - step * constant(c, "pl_constant");
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<std::vector<Ball>> q = queries(m, a);
    TokenLoss t = token_loss(m, a, q, AttentionKernel::gaussian);
    for (int k = 0; k < 3; ++k) {
      for (std::size_t d = 0; d < q[0].size(); ++d) q[0][d] -= step * t.gradient[d];
      const TokenLoss next = token_loss(m, a, q, AttentionKernel::gaussian);
      require(!certainly(negative(next.residual)), "r < 0 after a step");
      require(!certainly(less(rate * t.loss(), next.loss())), "g falls too slowly");
      t = next;
      ++tally["steps"];
    }
  }
}

}  // namespace

std::vector<Property> token_pl_properties() {
  return {{"token_pl.lojasiewicz",
           "|grad g| >= c (g - inf g) for affinely independent keys",
           draw_instance,
           600,
           lojasiewicz,
           {}},
          {"token_pl.overshoot",
           "steps of gradient descent keep r >= 0 and the promised rate",
           draw_instance,
           600,
           overshoot,
           {}}};
}

}  // namespace heed::checks
