// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/nuclear_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "heed/linalg/singular_values.hpp"
#include "heed/margin/detail/row_spans.hpp"

namespace heed {
namespace {

// A double at or above the ball.
std::optional<Rational> upper(const Ball& x) {
  const double d =
      std::nextafter(approx::to_double(x.upper()), std::numeric_limits<double>::infinity());
  if (!std::isfinite(d) || !certainly(less_equal(x, Ball(d)))) return {};
  return Rational(d);
}

}  // namespace

NuclearRank nuclear_rank(const MarginProblem& problem, const MarginBracket& bracket) {
  if (bracket.lambda.size() != problem.inequalities.size() ||
      bracket.mu.size() != problem.equalities.size() || bracket.lo.sign() <= 0)
    throw std::invalid_argument("nuclear_rank: the bracket does not belong to the problem");
  Rational total;
  for (const Rational& l : bracket.lambda) total += l;
  if (total.sign() <= 0) throw std::invalid_argument("nuclear_rank: no positive multiplier");
  Matrix<Rational> S = combine(problem.inequalities, problem.Z, bracket.lambda);
  const Matrix<Rational> E = combine(problem.equalities, problem.Z, bracket.mu);
  for (std::size_t i = 0; i < S.size(); ++i)
    S.data()[i] = (S.data()[i] + E.data()[i]) * bracket.lo / total;
  const std::vector<Ball> sigma = fast_singular_values(S);
  NuclearRank rank;
  rank.rank_bound = std::min(detail::rank_of_rows(problem), detail::rank_of_queries(problem));
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    const std::optional<Rational> bound = upper(sigma[k]);
    if (bound && *bound < Rational(1))
      rank.bounds.push_back({k, *bound, (bracket.hi - bracket.lo) / (Rational(1) - *bound)});
  }
  return rank;
}

}  // namespace heed
