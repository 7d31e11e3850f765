// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/approx_nuclear.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "unit/margin/nuclear_support.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace margin_test;

TEST_CASE("double pair: values of the reference files, by their condition") {
  for (const NuclearFixture& f : nuclear_fixtures()) {
    INFO(f.id);
    const approx::NuclearPair pair = approx::nuclear_pair(f.problem);
    if (!f.feasible) {
      CHECK(pair.end == approx::NuclearEnd::infeasible_suspected);
      continue;
    }
    CHECK(pair.end == approx::NuclearEnd::polished);
    if (!f.value) continue;
    const double value = f.value->nearest_double();
    const bool tiny_margin = f.id.rfind("attsvm_06", 0) == 0;  // 1e-8 of the tokens
    CHECK(std::fabs(pair.value / value - 1) < (tiny_margin ? 1e-7 : 1e-13));
    double dual = 0;
    for (const double l : pair.lambda) dual += l;
    CHECK(std::fabs(dual / value - 1) < (tiny_margin ? 1e-7 : 1e-12));
  }
}

TEST_CASE("many rows: a growing set of them ends at the same optimum as all of them") {
  const MarginProblem problem = gaussian_problem(20, 20, 12, 3);
  REQUIRE(problem.rows() > 300);
  const approx::NuclearPair pair = approx::nuclear_pair(problem);
  CHECK(pair.end == approx::NuclearEnd::polished);
  const auto bracket = std::get<MarginBracket>(nuclear_bracket(problem, 12).result);
  CHECK(std::fabs(pair.value / bracket.lo.nearest_double() - 1) < 1e-12);
}

TEST_CASE("scales of tokens and queries do not matter") {
  MarginProblem problem = gaussian_problem(4, 5, 6, 2);
  const double value = approx::nuclear_pair(problem).value;
  for (Rational& x : problem.Z.entries()) x *= Rational::power_of_two(-400);
  for (Rational& x : problem.inequalities.a.entries()) x *= Rational::power_of_two(300);
  const approx::NuclearPair scaled = approx::nuclear_pair(problem);
  CHECK(scaled.end == approx::NuclearEnd::polished);
  CHECK(std::fabs(std::ldexp(scaled.value, -100) / value - 1) < 1e-12);
}

TEST_CASE("equalities: several selected tokens, dependent ones too, plain rows") {
  std::mt19937_64 random(1);
  std::size_t bracketed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t n = 1 + random() % 3, d = 3 + random() % 3;
    std::vector<Matrix<Rational>> X;
    for (std::size_t i = 0; i < n; ++i) X.push_back(random_doubles(random, 5, d));
    if (trial % 3 == 0)  // the third selected token is on the line of the first two
      for (std::size_t c = 0; c < d; ++c) X[0](2, c) = X[0](1, c) * Rational(2) - X[0](0, c);
    const MarginProblem problem =
        token_problem(X, random_doubles(random, n, d), 1 + static_cast<std::size_t>(trial % 3));
    INFO("trial " << trial);
    const NuclearMargin margin = nuclear_bracket(problem, 30);
    if (const auto* proof = std::get_if<Infeasibility>(&margin.result)) {
      CHECK(infeasibility_fault(problem, *proof) == "");
      continue;
    }
    REQUIRE(std::holds_alternative<MarginBracket>(margin.result));
    CHECK(margin.reached);
    CHECK(nuclear_fault(problem, std::get<MarginBracket>(margin.result)) == "");
    ++bracketed;
  }
  CHECK(bracketed > 40);
  const MarginProblem rows = rows_problem({{Rational(3), Rational(4)}, {Rational(3), Rational(5)}});
  const auto bracket = std::get<MarginBracket>(nuclear_bracket(rows, 30).result);
  CHECK(bracket.lo <= Rational(1, 5));  // one row decides: the norm is 1 / |(3, 4)|
  CHECK(Rational(1, 5) <= bracket.hi);
}
