// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/generalised_svm.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "heed/linalg/exact_solve.hpp"
#include "heed/margin/detail/row_gram.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {
namespace {

Rational product(const Matrix<Rational>& a, const Matrix<Rational>& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a.data()[k] * b.data()[k];
  return sum;
}

/// a + factor b
Matrix<Rational> plus(Matrix<Rational> a, const Rational& factor, const Matrix<Rational>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a.data()[k] += factor * b.data()[k];
  return a;
}

/// Whether 1 / sum_u exp(a_u - a_t) >= threshold, for logits that are not all equal.
std::optional<bool> selected(const std::vector<Rational>& logits, std::size_t t,
                             const Rational& threshold, int max_bits) {
  for (long bits = 64; bits <= max_bits; bits *= 2) {
    const PrecisionScope scope(static_cast<int>(bits));
    Ball sum;
    for (const Rational& a : logits) sum += exp(Ball(a - logits[t]));
    const Ternary answer = less_equal(sum * Ball(threshold), Ball(1));
    if (certainly(answer)) return true;
    if (certainly_not(answer)) return false;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Correlation> correlation(const Matrix<Rational>& A, const Matrix<Rational>& B) {
  const Rational aa = product(A, A), bb = product(B, B), ab = product(A, B);
  if (aa.sign() == 0 || bb.sign() == 0) return std::nullopt;
  return Correlation{ab.sign(), ab * ab / (aa * bb)};
}

LeastMatrix least_with_gaps_of(const MarginProblem& problem, const Matrix<Rational>& W) {
  LeastMatrix least;
  least.gaps = row_values(problem.equalities, problem.Z, W);
  least.mu = solve_consistent(detail::row_gram(problem.equalities, problem.Z), least.gaps);
  least.W_fin = combine(problem.equalities, problem.Z, least.mu);
  for (std::size_t j = 0; j < least.mu.size(); ++j)
    least.squared_norm += least.mu[j] * least.gaps[j];
  return least;
}

GeneralisedSvm generalised_svm(const QueryInstance& instance, const Matrix<Rational>& W) {
  const MarginProblem problem = margin_problem(instance);
  if (W.rows() != problem.p() || W.cols() != problem.q())
    throw std::invalid_argument("generalised_svm: expected W of shape d x d");
  GeneralisedSvm svm;
  svm.margin = exact_frobenius(problem);
  LeastMatrix least = least_with_gaps_of(problem, W);
  svm.W_fin = std::move(least.W_fin);
  const Rational WW = product(W, W);
  if (WW.sign() != 0) svm.fin_share = least.squared_norm / WW;
  const auto* bracket = std::get_if<MarginBracket>(&svm.margin.result);
  if (!bracket) return svm;
  svm.W_dir = plus(combine(problem.inequalities, problem.Z, bracket->lambda), Rational(1),
                   combine(problem.equalities, problem.Z, bracket->mu));
  const Rational along = product(W, *svm.W_dir);
  svm.R = along.sign() > 0 ? along / product(*svm.W_dir, *svm.W_dir) : Rational(0);
  svm.prediction = correlation(plus(svm.W_fin, *svm.R, *svm.W_dir), W);
  svm.informative = correlation(plus(W, Rational(-1), svm.W_fin), *svm.W_dir);
  return svm;
}

std::optional<bool> structure_lemma_holds(const GeneralisedSvm& svm, const Matrix<Rational>& W) {
  if (!svm.prediction) return std::nullopt;
  return product(svm.W_fin, *svm.W_dir).sign() == 0 &&
         svm.prediction->squared * product(W, W) ==
             product(svm.W_fin, svm.W_fin) + *svm.R * product(W, *svm.W_dir);
}

std::optional<std::vector<std::vector<std::size_t>>> selected_by_softmax(
    const QueryInstance& instance, const Matrix<Rational>& W, const Rational& threshold,
    int max_bits) {
  if (threshold.sign() <= 0 || threshold > Rational(1))
    throw std::invalid_argument("selected_by_softmax: expected 0 < threshold <= 1");
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t i = 0; i < instance.inputs(); ++i) {
    const Matrix<Rational>& x = instance.X[i];
    const RankOneRows rows{x, std::vector<std::size_t>(x.rows(), i), {}};
    const std::vector<Rational> logits = row_values(rows, instance.Z, W);
    const auto top =
        static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    const bool all_equal = std::all_of(logits.begin(), logits.end(),
                                       [&](const Rational& a) { return a == logits[0]; });
    std::vector<std::size_t> set;
    for (std::size_t t = 0; t < logits.size(); ++t) {
      const std::optional<bool> in =
          all_equal ? Rational(1, static_cast<long>(logits.size())) >= threshold
                    : selected(logits, t, threshold, max_bits);
      if (!in) return std::nullopt;
      if (*in) set.push_back(t);
    }
    const auto at = std::find(set.begin(), set.end(), top);
    if (at != set.end()) std::rotate(set.begin(), at, at + 1);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace heed
