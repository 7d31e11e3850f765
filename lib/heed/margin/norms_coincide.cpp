// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/norms_coincide.hpp"

#include "heed/linalg/singular_values.hpp"
#include "heed/margin/detail/row_spans.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "heed/margin/nuclear_bracket.hpp"

namespace heed {
namespace {

NormsCoincide compare_solutions(const MarginProblem& problem) {
  const FrobeniusMargin frobenius = exact_frobenius(problem);
  if (std::holds_alternative<Infeasibility>(frobenius.result))
    return {Ternary::unknown, Ternary::unknown, "infeasible"};
  const auto* exact = std::get_if<MarginBracket>(&frobenius.result);
  if (exact == nullptr || !frobenius.exact())
    return {Ternary::unknown, Ternary::unknown, "no exact solution of the Frobenius norm"};
  Matrix<Rational> W = combine(problem.inequalities, problem.Z, exact->lambda);
  const Matrix<Rational> E = combine(problem.equalities, problem.Z, exact->mu);
  for (std::size_t i = 0; i < W.size(); ++i) W.data()[i] += E.data()[i];
  Ball norm;
  for (const Ball& s : fast_singular_values(W)) norm += s;
  const NuclearMargin nuclear = nuclear_bracket(problem, 15);
  const auto* bracket = std::get_if<MarginBracket>(&nuclear.result);
  if (bracket != nullptr && certainly(less(Ball(bracket->hi), norm)))
    return {Ternary::certainly_false, Ternary::unknown,
            "the Frobenius solution has a larger nuclear norm"};
  return {Ternary::unknown, Ternary::unknown, "the two norms agree as far as they were enclosed"};
}

}  // namespace

NormsCoincide norms_coincide(const MarginProblem& problem, bool solve) {
  if (problem.rows() == 0) return {Ternary::unknown, Ternary::unknown, "there are no inequalities"};
  const auto both = [](const char* reason) {
    return NormsCoincide{Ternary::certainly_true, Ternary::certainly_true, reason};
  };
  const std::size_t inputs = detail::inputs_with_inequalities(problem);
  if (detail::rank_of_queries(problem) == 1) return both("the queries are collinear");
  if (detail::rank_of_rows(problem) == 1) return both("the differences are collinear");
  if (detail::has_orthogonal_inputs(problem)) {
    if (inputs == 1) return both("one input only, orthogonal to the equalities of the others");
    return {Ternary::certainly_true, Ternary::certainly_false,
            "the inputs are orthogonal to each other"};
  }
  if (!solve) return {Ternary::unknown, Ternary::unknown, "no structural hypothesis holds"};
  return compare_solutions(problem);
}

}  // namespace heed
