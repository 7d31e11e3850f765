// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/frobenius_bracket.hpp"

#include <stdexcept>

#include "heed/margin/detail/bracket_search.hpp"
#include "heed/margin/detail/prepared_problem.hpp"

namespace heed {
namespace detail {
namespace {

template <unsigned D>
void improve_in_digits(const PreparedProblem& problem, BracketSearch& search) {
  const GramSystem<Real<D>> system = real_system<D>(problem.rows, problem.scales);
  const ApproxActiveSet found = run_dual_active_set(system, {});
  if (found.end != ActiveSetEnd::optimal) return;
  search.improve(
      [&](const std::vector<std::size_t>& rows) { return real_solve<D>(problem.rows, rows); },
      found.active);
}

}  // namespace

FrobeniusMargin frobenius_bracket(const PreparedProblem& problem, int bits) {
  BracketSearch search(problem.rows, problem.scales, bits);
  const char* method = "double";
  if (problem.found.end != ActiveSetEnd::dependent)
    search.improve(
        [&](const std::vector<std::size_t>& rows) {
          return double_solve(problem.system, problem.scales, rows);
        },
        problem.found.active);
  if (!search.narrow() && problem.fits_in_digits()) {
    improve_in_digits<50>(problem, search);
    method = "50 digits";
    if (!search.narrow()) {
      improve_in_digits<150>(problem, search);
      method = "150 digits";
    }
  }
  if (!search.best())
    return {MarginUndecided{"no separating matrix found; the rows nearly cancel or the problem is "
                            "infeasible"},
            method,
            {}};
  const BracketSearch::Candidate& best = *search.best();
  MarginBracket bracket;
  bracket.lo = best.bounds.lo;
  bracket.hi = best.bounds.hi;
  Integer divisor;
  fmpz_mul(divisor.raw(), best.scale.raw(), problem.rows.B.raw());
  Multipliers multipliers = original_multipliers(problem.rows, best.index, best.x, divisor);
  bracket.lambda = std::move(multipliers.lambda);
  bracket.mu = std::move(multipliers.mu);
  FrobeniusMargin margin{{}, method, {}};
  for (std::size_t k = 0; k < bracket.lambda.size(); ++k)
    if (bracket.lambda[k].sign() != 0) margin.active.push_back(k);
  margin.result = std::move(bracket);
  return margin;
}

}  // namespace detail

FrobeniusMargin frobenius_bracket(const MarginProblem& problem, int bits) {
  if (bits < 8 || bits > 20'000)
    throw std::invalid_argument("frobenius_bracket: expected 8 to 20000 bits");
  detail::IntegerProblem rows = detail::integer_problem(problem);
  if (auto margin = detail::trivial_margin(rows)) return *std::move(margin);
  return detail::frobenius_bracket(detail::prepare(std::move(rows)), bits);
}

}  // namespace heed
