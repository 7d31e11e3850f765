// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/exact_frobenius.hpp"

#include <algorithm>
#include <limits>

#include "heed/margin/detail/exact_active_set.hpp"
#include "heed/margin/detail/prepared_problem.hpp"

namespace heed {
namespace detail {
namespace {

constexpr int rounds_of_a_guess = 4;

/// Rows by falling multiplier: when rows depend on each other the first ones are used.
std::vector<std::size_t> by_multiplier(const ApproxActiveSet& found) {
  std::vector<std::size_t> order(found.active.size()), rows;
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return found.u[i] > found.u[j]; });
  for (const std::size_t j : order) rows.push_back(found.active[j]);
  return rows;
}

struct Proved {
  ExactActiveSet set;
  const char* method;
};

Proved climb(const PreparedProblem& problem) {
  const IntegerProblem& rows = problem.rows;
  std::vector<std::size_t> guess = by_multiplier(problem.found);
  if (auto set = exact_active_set(rows, guess, rounds_of_a_guess))
    return {*std::move(set), "double"};
  if (problem.fits_in_digits()) {
    guess = by_multiplier(run_dual_active_set(real_system<50>(rows, problem.scales), {}));
    if (auto set = exact_active_set(rows, guess, rounds_of_a_guess))
      return {*std::move(set), "50 digits"};
    guess = by_multiplier(run_dual_active_set(real_system<150>(rows, problem.scales), {}));
    if (auto set = exact_active_set(rows, guess, rounds_of_a_guess))
      return {*std::move(set), "150 digits"};
  }
  return {*exact_active_set(rows, guess, std::numeric_limits<int>::max()), "exact exchanges"};
}

}  // namespace

FrobeniusMargin exact_frobenius(const PreparedProblem& problem) {
  const auto [set, method] = climb(problem);
  const IntegerProblem& reduced = problem.rows;
  FrobeniusMargin margin;
  margin.method = method;
  const bool feasible = fmpz_sgn(set.kappa.raw()) > 0;
  // Multipliers x / kappa of W' = B W; any positive multiple of x proves infeasibility.
  Integer divisor;
  fmpz_one(divisor.raw());
  if (feasible) fmpz_mul(divisor.raw(), set.kappa.raw(), reduced.B.raw());
  Multipliers multipliers = original_multipliers(reduced, set.index, set.x, divisor);
  for (std::size_t k = 0; k < multipliers.lambda.size(); ++k)
    if (multipliers.lambda[k].sign() != 0) margin.active.push_back(k);
  if (!feasible) {
    margin.result = Infeasibility{std::move(multipliers.lambda), std::move(multipliers.mu)};
    return margin;
  }
  MarginBracket bracket;
  // sum lambda = b.x / (kappa B^2) = (den - kappa) / (kappa B^2)
  Integer numerator, denominator;
  fmpz_sub(numerator.raw(), set.den.raw(), set.kappa.raw());
  fmpz_mul(denominator.raw(), set.kappa.raw(), reduced.B.raw());
  fmpz_mul(denominator.raw(), denominator.raw(), reduced.B.raw());
  bracket.lo = bracket.hi = ratio(numerator.raw(), denominator.raw());
  bracket.lambda = std::move(multipliers.lambda);
  bracket.mu = std::move(multipliers.mu);
  margin.result = std::move(bracket);
  return margin;
}

}  // namespace detail

FrobeniusMargin exact_frobenius(const MarginProblem& problem) {
  detail::IntegerProblem rows = detail::integer_problem(problem);
  if (auto margin = detail::trivial_margin(rows)) return *std::move(margin);
  return detail::exact_frobenius(detail::prepare(std::move(rows)));
}

}  // namespace heed
