// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/token_sums.hpp"

#include <algorithm>
#include <map>

namespace heed::detail {
namespace {

// Tokens of one key act as one, with this many and this sum of values.
struct MergedKey {
  Rational key, sum;
  Rational count;
  Rational mean() const { return sum / count; }
};

std::vector<MergedKey> merged_keys(const TokenProblem& problem) {
  std::map<Rational, MergedKey> by_key;
  for (std::size_t b = 0; b < problem.keys.size(); ++b) {
    MergedKey& m =
        by_key.try_emplace(problem.keys[b], MergedKey{problem.keys[b], {}, {}}).first->second;
    m.sum += problem.values[b];
    m.count += Rational(1);
  }
  std::vector<MergedKey> keys;
  for (auto& entry : by_key) keys.push_back(std::move(entry.second));
  return keys;
}

Rational half_square(const Rational& k) { return k * k / Rational(2); }

Rational greatest_common_measure(const Rational& a, const Rational& b) {
  Rational p, q;
  mpz_t left, right;
  mpz_init(left);
  mpz_init(right);
  mpz_mul(left, mpq_numref(a.raw()), mpq_denref(b.raw()));
  mpz_mul(right, mpq_numref(b.raw()), mpq_denref(a.raw()));
  mpz_gcd(mpq_numref(p.raw()), left, right);
  mpz_mul(mpq_numref(q.raw()), mpq_denref(a.raw()), mpq_denref(b.raw()));
  mpz_clear(left);
  mpz_clear(right);
  return p / q;
}

Rational common_step(const std::vector<MergedKey>& keys) {
  Rational step;
  for (const MergedKey& m : keys) step = greatest_common_measure(step, m.key - keys.front().key);
  return step;
}

// Normalised kernels: sum_b w_b (P_b - y) and sum_{b<l} w_b w_l (P_b - P_l)(k_b - k_l).
void normalised(const TokenProblem& problem, const std::vector<MergedKey>& keys, TokenSums& sums) {
  const bool weighted = problem.kernel == AttentionKernel::gaussian_normalised;
  const auto weight = [&](const Rational& k) { return weighted ? -half_square(k) : Rational(); };
  std::vector<ExpTerm> residual, slope;
  for (std::size_t b = 0; b < keys.size(); ++b) {
    const MergedKey& m = keys[b];
    residual.push_back({m.sum - m.count * problem.target, {}, weight(m.key), m.key, {}});
    for (std::size_t l = b + 1; l < keys.size(); ++l) {
      const MergedKey& o = keys[l];
      slope.push_back({(m.sum * o.count - o.sum * m.count) * (m.key - o.key),
                       {},
                       weight(m.key) + weight(o.key),
                       m.key + o.key,
                       {}});
    }
  }
  sums.residual = exp_sum(std::move(residual), problem.beta);
  sums.slope = exp_sum(std::move(slope), problem.beta);
  sums.limit_minus = keys.front().mean();
  sums.limit_plus = keys.back().mean();
}

// Gaussian kernels: sum_b P_b S_b - y, and sum_b P_b (k_b - q) S_b without the factor e^{-beta
// q^2/2}, which is left out of the former too if y = 0.
void gaussian(const TokenProblem& problem, const std::vector<MergedKey>& keys, TokenSums& sums) {
  const Rational n(problem.kernel == AttentionKernel::gaussian_over_n
                       ? static_cast<long>(problem.keys.size())
                       : 1L);
  const bool centred = problem.target.sign() == 0;
  std::vector<ExpTerm> residual, slope;
  for (const MergedKey& m : keys) {
    const Rational shift = -half_square(m.key);
    residual.push_back({m.sum / n, {}, shift, m.key, centred ? Rational() : Rational(-1, 2)});
    slope.push_back({m.sum * m.key, -m.sum, shift, m.key, {}});
  }
  if (!centred) residual.push_back({-problem.target, {}, {}, {}, {}});
  sums.residual = exp_sum(std::move(residual), problem.beta);
  sums.slope = exp_sum(std::move(slope), problem.beta);
}

std::optional<Rational> centre_of(const TokenProblem& problem, const std::vector<MergedKey>& keys) {
  const Rational twice = keys.front().key + keys.back().key;
  for (std::size_t b = 0; b < keys.size(); ++b) {
    const MergedKey &m = keys[b], &o = keys[keys.size() - 1 - b];
    if (m.key + o.key != twice || m.sum != o.sum || m.count != o.count) return std::nullopt;
  }
  return problem.kernel == AttentionKernel::softmax ? Rational() : twice / Rational(2);
}

}  // namespace

TokenSums token_sums(const TokenProblem& problem) {
  const std::vector<MergedKey> keys = merged_keys(problem);
  TokenSums sums;
  if (is_normalised(problem.kernel))
    normalised(problem, keys, sums);
  else
    gaussian(problem, keys, sums);
  sums.centre = centre_of(problem, keys);
  sums.step = common_step(keys);
  sums.least_key = keys.front().key;
  return sums;
}

}  // namespace heed::detail
