// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/margin/exact_frobenius.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace margin_test;

TEST_CASE("every reference file has its exact optimum or a proof that there is none") {
  std::size_t feasible = 0, infeasible = 0;
  for (const Fixture& f : fixtures()) {
    INFO(f.id);
    const FrobeniusMargin margin = exact_frobenius(f.problem);
    CHECK(exactness_fault(f.problem, margin, f.norm2) == "");
    CHECK(f.feasible == f.norm2.has_value());
    ++(f.feasible ? feasible : infeasible);
    if (!f.W) continue;
    const auto& bracket = std::get<MarginBracket>(margin.result);
    CHECK(combine(f.problem.inequalities, f.problem.Z, bracket.lambda) == *f.W);
  }
  CHECK(feasible == 13);
  CHECK(infeasible == 2);
}

TEST_CASE("data in double: the margin agrees with the reference to all its digits") {
  for (const int seed : {0, 1}) {
    const Fixture f = trajectory_fixture(seed);
    const FrobeniusMargin margin = exact_frobenius(f.problem);
    const auto& bracket = std::get<MarginBracket>(margin.result);
    CHECK(optimality_fault(f.problem, bracket) == "");
    const Rational reference = Rational::parse(*f.margin);
    CHECK(abs(bracket.lo * reference * reference - Rational(1)) < Rational::parse("1e-38"));
  }
}

TEST_CASE("random small problems agree with textbook least squares") {
  std::mt19937_64 random(7);
  std::size_t feasible = 0, infeasible = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t n = 1 + random() % 3, T = 2 + random() % 3, d = 1 + random() % 4;
    const long most = 1 + static_cast<long>(random() % 4);  // few values: many equal rows
    std::vector<Matrix<Rational>> X;
    for (std::size_t i = 0; i < n; ++i) X.push_back(random_integers(random, T, d, most));
    const std::size_t selected = 1 + (random() % 3 == 0 ? 1 : 0);
    const MarginProblem problem =
        token_problem(X, random_integers(random, n, d, 2), std::min(selected, T - 1));
    const std::optional<Rational> norm2 = reference_norm2(problem);
    ++(norm2 ? feasible : infeasible);
    INFO("trial " << trial);
    CHECK(exactness_fault(problem, exact_frobenius(problem), norm2) == "");
  }
  CHECK(feasible > 100);
  CHECK(infeasible > 100);
}
