// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "heed/landscape/detail/token_data.hpp"
#include "heed/landscape/token_pl.hpp"
#include "heed/landscape/token_problem.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/singular_values.hpp"

namespace heed {
namespace {

Ball to_ball(const Rational& x) { return Ball(x); }

Rational dot(const Rational* a, const Rational* b, std::size_t n) {
  Rational sum;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

// Pi K: every key minus the mean of all.
Matrix<Rational> centred(Matrix<Rational> keys) {
  const Rational n(static_cast<long>(keys.rows()));
  for (std::size_t c = 0; c < keys.cols(); ++c) {
    Rational mean;
    for (std::size_t b = 0; b < keys.rows(); ++b) mean += keys(b, c) / n;
    for (std::size_t b = 0; b < keys.rows(); ++b) keys(b, c) -= mean;
  }
  return keys;
}

// Logits without beta: q.k_b, minus |k_b|^2 / 2 for the Gaussian.
std::vector<Rational> logits(const Matrix<Rational>& queries, std::size_t a,
                             const Matrix<Rational>& keys, AttentionKernel kernel) {
  std::vector<Rational> z(keys.rows());
  for (std::size_t b = 0; b < keys.rows(); ++b) {
    z[b] = dot(queries.row(a), keys.row(b), keys.cols());
    if (kernel == AttentionKernel::gaussian_normalised)
      z[b] -= dot(keys.row(b), keys.row(b), keys.cols()) / Rational(2);
  }
  return z;
}

Ball least_probability(const std::vector<Rational>& z, const Ball& beta) {
  std::size_t least = 0;
  for (std::size_t b = 1; b < z.size(); ++b)
    if (z[b] < z[least]) least = b;
  Ball sum;
  for (const Rational& other : z) sum += exp(beta * Ball(other - z[least]));
  return Ball(1) / sum;
}

// min over the tokens of one sample and head of s_min sigma_{n-1}(Pi K).
Ball least_constant(const KernelInstance& m, AttentionKernel kernel, std::size_t i, std::size_t h,
                    const Matrix<Rational>& keys) {
  const Ball beta = enclose(m.beta);
  const Matrix<Rational> queries = detail::queries_of(m, i, h);
  Ball least = least_probability(logits(queries, 0, keys, kernel), beta);
  for (std::size_t a = 1; a < m.tokens(); ++a)
    least = min(least, least_probability(logits(queries, a, keys, kernel), beta));
  return least * singular_values(map(centred(keys), to_ball))[m.tokens() - 2];
}

PositiveCertificate not_applicable(std::string reason) {
  return {"landscape.lojasiewicz",
          "kernel.softmax_q_only.lojasiewicz",
          VerdictKind::not_applicable,
          std::move(reason),
          {}};
}

}  // namespace

PositiveCertificate certify_lojasiewicz(const KernelInstance& m, AttentionKernel kernel) {
  if (!is_normalised(kernel)) return not_applicable("the rows of the kernel do not sum to 1");
  if (std::string reason = detail::coupling(m); !reason.empty()) return not_applicable(reason);
  const std::size_t n = m.tokens();
  PositiveCertificate result{
      "landscape.lojasiewicz", "kernel.softmax_q_only.lojasiewicz", VerdictKind::proved, "", {}};
  if (n == 1) return result;
  std::optional<Ball> least;
  for (std::size_t i = 0; i < m.samples(); ++i)
    for (std::size_t h = 0; h < m.heads(); ++h) {
      const Matrix<Rational> keys = detail::keys_of(m, i, h);
      if (exact_rank(centred(keys)) + 1 < n)
        return not_applicable("the keys of sample " + std::to_string(i) + ", head " +
                              std::to_string(h) + " are affinely dependent");
      const Ball c = least_constant(m, kernel, i, h, keys);
      least = least ? min(*least, c) : c;
    }
  const Ball c = *least * enclose(m.beta) / sqrt(Ball(static_cast<long>(m.heads())));
  const Ball sigma = singular_values(map(detail::stacked_tokens(m), to_ball)).back();
  const Ball count(static_cast<long>(m.samples() * n));
  result.constants = {{"sigma_min_tokens", sigma},
                      {"least_token_constant", c},
                      {"constant", sigma * c / sqrt(count)}};
  return result;
}

}  // namespace heed
