// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/direction.hpp"

#include <algorithm>

#include "heed/linalg/nuclear_norm.hpp"
#include "heed/margin/frobenius_margin.hpp"

namespace heed {
namespace {

Rational inner_product(const Matrix<Rational>& a, const Matrix<Rational>& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a.data()[k] * b.data()[k];
  return sum;
}

/// <W, W_mm> / (||W|| ||W_mm||), with W0 / s feasible and ||W0||^2 / s^2 <= hi:
/// ||W0 / s - W_mm||^2 <= ||W0||^2 / s^2 - lo, because <W_mm, W0/s - W_mm> >= 0.
Ball correlation(const MarginProblem& problem, const Matrix<Rational>& W,
                 const MarginBracket& bracket) {
  const Matrix<Rational> W0 = bracket_point(problem, bracket);
  const Rational s = least_row_value(problem, W0);
  if (s.sign() <= 0) return Ball::symmetric(Ball(1));
  const Rational gap = inner_product(W0, W0) / (s * s) - bracket.lo;
  const Ball distance = sqrt_nonnegative(Ball(gap));
  const Ball norm = sqrt(Ball(inner_product(W, W)));
  const Ball product =
      Ball(inner_product(W, W0) / s) + Ball::symmetric(Ball(norm * distance).upper());
  const Ball norm_mm = sqrt(Ball::hull(Ball(bracket.lo), Ball(bracket.hi)));
  return product / (norm * norm_mm);
}

}  // namespace

Matrix<Rational> bracket_point(const MarginProblem& problem, const MarginBracket& bracket) {
  if (bracket.W) return *bracket.W;
  Matrix<Rational> W = combine(problem.inequalities, problem.Z, bracket.lambda);
  if (!bracket.mu.empty()) {
    const Matrix<Rational> tied = combine(problem.equalities, problem.Z, bracket.mu);
    for (std::size_t k = 0; k < W.size(); ++k) W.data()[k] += tied.data()[k];
  }
  return W;
}

Rational least_row_value(const MarginProblem& problem, const Matrix<Rational>& W) {
  const std::vector<Rational> values = row_values(problem.inequalities, problem.Z, W);
  return *std::min_element(values.begin(), values.end());
}

Direction direction(const MarginProblem& problem, const Matrix<Rational>& W,
                    const MarginBracket* frobenius, const MarginBracket* nuclear) {
  Direction result;
  result.mu = least_row_value(problem, W);
  const Ball mu(result.mu);
  if (frobenius) {
    result.correlation = correlation(problem, W, *frobenius);
    result.rho_frobenius = mu * sqrt(Ball::hull(Ball(frobenius->lo), Ball(frobenius->hi))) /
                           sqrt(Ball(inner_product(W, W)));
  }
  if (nuclear) {
    const Ball norm = nuclear_norm(map(W, [](const Rational& q) { return Ball(q); }));
    result.rho_nuclear = mu * Ball::hull(Ball(nuclear->lo), Ball(nuclear->hi)) / norm;
  }
  return result;
}

std::vector<std::vector<std::size_t>> largest_logits(const QueryInstance& instance,
                                                     const Matrix<Rational>& W) {
  std::vector<std::vector<std::size_t>> tokens;
  for (std::size_t i = 0; i < instance.inputs(); ++i) {
    const Matrix<Rational>& x = instance.X[i];
    RankOneRows rows{x, std::vector<std::size_t>(x.rows(), i), {}};
    const std::vector<Rational> logits = row_values(rows, instance.Z, W);
    const Rational& largest = *std::max_element(logits.begin(), logits.end());
    tokens.emplace_back();
    for (std::size_t t = 0; t < logits.size(); ++t)
      if (logits[t] == largest) tokens.back().push_back(t);
  }
  return tokens;
}

std::optional<bool> locally_optimal(const QueryInstance& instance) {
  const MarginProblem problem = margin_problem(instance);
  const FrobeniusMargin margin = frobenius_margin(problem);
  if (std::holds_alternative<Infeasibility>(margin.result)) return false;
  if (std::holds_alternative<NoConstraints>(margin.result)) return true;
  if (!margin.exact()) return std::nullopt;
  const Matrix<Rational> W = bracket_point(problem, std::get<MarginBracket>(margin.result));
  const std::vector<Rational> values = row_values(problem.inequalities, problem.Z, W);
  const auto gamma = scores(instance);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t i = problem.inequalities.query[k];
    const Rational& selected = gamma[i][instance.selected[i].front()];
    if (values[k] == Rational(1) && gamma[i][problem.inequalities.token[k]] >= selected)
      return false;
  }
  return true;
}

}  // namespace heed
