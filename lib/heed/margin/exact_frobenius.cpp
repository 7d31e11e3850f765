// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/exact_frobenius.hpp"

#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/margin/detail/exact_active_set.hpp"
#include "heed/margin/detail/scaled_system.hpp"

namespace heed {
namespace detail {
namespace {

constexpr int rounds_of_a_guess = 4;
constexpr std::size_t most_rows_in_digits = 1500;  // m^2 numbers of 50 or 150 digits

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

Proved climb(const IntegerProblem& problem) {
  const RowScales scales = row_scales(problem);
  std::vector<std::size_t> guess = by_multiplier(approx_active_set(double_system(problem, scales)));
  if (auto set = exact_active_set(problem, guess, rounds_of_a_guess))
    return {*std::move(set), "double"};
  if (problem.size() <= most_rows_in_digits) {
    guess = by_multiplier(run_dual_active_set(real_system<50>(problem, scales), {}));
    if (auto set = exact_active_set(problem, guess, rounds_of_a_guess))
      return {*std::move(set), "50 digits"};
    guess = by_multiplier(run_dual_active_set(real_system<150>(problem, scales), {}));
  }
  return {*exact_active_set(problem, guess, std::numeric_limits<int>::max()), "exact exchanges"};
}

}  // namespace
}  // namespace detail

FrobeniusMargin exact_frobenius(const MarginProblem& problem) {
  if (problem.rows() == 0) return {NoConstraints{}, "no constraints", {}};
  const detail::IntegerProblem reduced = detail::integer_problem(problem);
  if (reduced.zero_row) {
    Infeasibility proof{std::vector<Rational>(problem.rows()),
                        std::vector<Rational>(problem.equalities.size())};
    proof.lambda[*reduced.zero_row] = Rational(1);
    return {std::move(proof), "zero row", {*reduced.zero_row}};
  }
  const auto [set, method] = detail::climb(reduced);
  FrobeniusMargin margin;
  margin.method = method;
  const bool feasible = fmpz_sgn(set.kappa.raw()) > 0;
  // Multipliers x / kappa of W' = B W; any positive multiple of x proves infeasibility.
  Rational factor(1);
  if (feasible) {
    detail::Integer scale;
    fmpz_mul(scale.raw(), set.kappa.raw(), reduced.B.raw());
    fmpz_get_mpz(mpq_numref(factor.raw()), scale.raw());
    factor = Rational(1) / factor;
  }
  detail::Multipliers multipliers = detail::original_multipliers(reduced, set.index, set.x, factor);
  for (std::size_t k = 0; k < multipliers.lambda.size(); ++k)
    if (multipliers.lambda[k].sign() != 0) margin.active.push_back(k);
  if (!feasible) {
    margin.result = Infeasibility{std::move(multipliers.lambda), std::move(multipliers.mu)};
    return margin;
  }
  MarginBracket bracket;
  // sum lambda = b.x / (kappa B^2) = (den - kappa) / (kappa B^2)
  detail::Integer numerator, denominator;
  fmpz_sub(numerator.raw(), set.den.raw(), set.kappa.raw());
  fmpz_mul(denominator.raw(), set.kappa.raw(), reduced.B.raw());
  fmpz_mul(denominator.raw(), denominator.raw(), reduced.B.raw());
  bracket.lo = bracket.hi = detail::ratio(numerator.raw(), denominator.raw());
  bracket.lambda = std::move(multipliers.lambda);
  bracket.mu = std::move(multipliers.mu);
  margin.result = std::move(bracket);
  return margin;
}

}  // namespace heed
