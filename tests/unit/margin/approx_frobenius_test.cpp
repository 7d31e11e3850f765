// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/approx_frobenius.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/margin/detail/scaled_system.hpp"
#include "heed/margin/frobenius_bracket.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace margin_test;

namespace {

MarginProblem generic(std::mt19937_64& random, std::size_t n, std::size_t T, std::size_t d,
                      std::size_t selected = 1) {
  std::vector<Matrix<Rational>> X;
  for (std::size_t i = 0; i < n; ++i) X.push_back(random_doubles(random, T, d));
  return token_problem(X, random_doubles(random, n, d), selected);
}

// The optimum lies in a proved bracket of width 1e-19; the multipliers give it up to rounding.
void check_optimum(const MarginProblem& problem) {
  const approx::FrobeniusMultipliers found = approx::frobenius_multipliers(problem);
  REQUIRE(found.end == approx::FrobeniusEnd::optimal);
  const FrobeniusMargin margin = frobenius_bracket(problem, 64);
  REQUIRE(std::holds_alternative<MarginBracket>(margin.result));
  const auto& bracket = std::get<MarginBracket>(margin.result);
  CHECK(bracket.hi / bracket.lo - Rational(1) <= Rational::power_of_two(-64));
  const double norm2 = bracket.lo.nearest_double();
  CHECK(std::fabs(found.norm2 - norm2) <= 1e-11 * norm2);
  CHECK(found.active == margin.active);
  double largest = 0, worst = 0;
  for (std::size_t k = 0; k < problem.rows(); ++k) {
    largest = std::max(largest, found.lambda[k]);
    worst = std::max(worst, std::fabs(found.lambda[k] - bracket.lambda[k].nearest_double()));
    CHECK(found.lambda[k] >= 0);
  }
  for (std::size_t k = 0; k < problem.equalities.size(); ++k)
    worst = std::max(worst, std::fabs(found.mu[k] - bracket.mu[k].nearest_double()));
  CHECK(worst <= 1e-9 * largest);
}

}  // namespace

TEST_CASE("double agrees with proved brackets, few rows and many") {
  std::mt19937_64 random(41);
  for (const std::size_t T : {4u, 8u, 16u, 20u})
    for (const std::size_t d : {14u, 20u}) {
      INFO("T " << T << " d " << d);
      check_optimum(generic(random, 12, T, d));
      check_optimum(generic(random, 12, T, d, 2));
    }
}

TEST_CASE("the block method and single exchanges end with the same rows") {
  std::mt19937_64 random(43);
  for (std::size_t trial = 0; trial < 12; ++trial) {
    const MarginProblem problem = generic(random, 15, 14, 12, 1 + trial % 3);
    const detail::IntegerProblem rows = detail::integer_problem(problem);
    const auto system = detail::double_system(rows, detail::row_scales(rows));
    REQUIRE(system.m > 150);
    detail::ApproxActiveSet block = detail::approx_active_set(system),
                            single = detail::run_dual_active_set(system, {});
    REQUIRE(block.end == detail::ActiveSetEnd::optimal);
    REQUIRE(single.end == detail::ActiveSetEnd::optimal);
    std::sort(block.active.begin(), block.active.end());
    std::sort(single.active.begin(), single.active.end());
    CHECK(block.active == single.active);
    CHECK(block.active.size() > 40);
  }
}

TEST_CASE("many rows with ties: the block method hands over to single exchanges") {
  std::mt19937_64 random(47);
  for (int trial = 0; trial < 10; ++trial) {
    const Matrix<Rational> f = random_integers(random, 400, 5, 3);
    std::vector<std::vector<Rational>> rows;
    for (std::size_t k = 0; k < f.rows(); ++k) {
      std::vector<Rational> row{Rational(trial % 2 == 0 ? 1 : 2)};
      for (std::size_t c = 0; c < f.cols(); ++c) row.push_back(f(k, c));
      rows.push_back(row);
    }
    const MarginProblem problem = rows_problem(rows);
    INFO("trial " << trial);
    const auto found = approx::frobenius_multipliers(problem);
    CHECK(found.end == approx::FrobeniusEnd::optimal);
    CHECK(exactness_fault(problem, frobenius_margin(problem),
                          Rational(1, trial % 2 == 0 ? 1 : 4)) == "");
  }
}

TEST_CASE("every end has a word") {
  using approx::FrobeniusEnd;
  const auto end = [](const MarginProblem& problem) {
    return approx::word(approx::frobenius_multipliers(problem).end);
  };
  CHECK(end(rows_problem({{1, 0}, {0, 1}})) == "optimal");
  CHECK(end(rows_problem({{1, 0}, {-1, 0}})) == "infeasible suspected");
  CHECK(end(rows_problem({{1, 0}, {0, 0}})) == "infeasible suspected");
  MarginProblem none = rows_problem({{1}});
  none.inequalities = {Matrix<Rational>(0, 1), {}, {}};
  CHECK(end(none) == "no constraints");
  CHECK(approx::word(FrobeniusEnd::iteration_limit) == "iteration limit");
}

TEST_CASE("single exchanges stop at the limit and start from any guess") {
  std::mt19937_64 random(53);
  const MarginProblem problem = generic(random, 6, 8, 10);
  const detail::IntegerProblem rows = detail::integer_problem(problem);
  const auto system = detail::double_system(rows, detail::row_scales(rows));
  detail::DualActiveSet<double> solver(system);
  solver.start({});
  CHECK(solver.run(3) == detail::ActiveSetEnd::iteration_limit);
  CHECK(solver.active().size() <= 3);
  std::vector<std::size_t> expected = detail::run_dual_active_set(system, {}).active;
  std::sort(expected.begin(), expected.end());
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::size_t> guess;
    for (std::size_t k = 0; k < system.m; ++k)
      if (random() % 2 == 0) guess.push_back(k);
    auto found = detail::run_dual_active_set(system, guess);
    CHECK(found.end == detail::ActiveSetEnd::optimal);
    std::sort(found.active.begin(), found.active.end());
    CHECK(found.active == expected);
  }
}
