// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/exact_active_set.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/margin/detail/scaled_system.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace heed::detail;
using namespace margin_test;

namespace {

constexpr int unlimited = std::numeric_limits<int>::max();

// min ||W||^2, or nothing for a Farkas vector; both re-checked.
std::optional<Rational> optimum(const MarginProblem& problem, const IntegerProblem& rows,
                                const ExactActiveSet& set) {
  const bool feasible = fmpz_sgn(set.kappa.raw()) > 0;
  Integer scale;
  fmpz_mul(scale.raw(), feasible ? set.kappa.raw() : set.den.raw(), rows.B.raw());
  const Multipliers m = original_multipliers(rows, set.index, set.x, scale);
  if (!feasible) {
    CHECK(fault(problem, Infeasibility{m.lambda, m.mu}) == "");
    return std::nullopt;
  }
  MarginBracket bracket{m.lambda, m.mu, {}, {}, {}, {}, {}};
  for (const Rational& l : m.lambda) bracket.lo += l;
  bracket.hi = bracket.lo;
  CHECK(optimality_fault(problem, bracket) == "");
  return bracket.lo;
}

MarginProblem random_problem(std::mt19937_64& random) {
  const std::size_t n = 1 + random() % 4, T = 2 + random() % 4, d = 1 + random() % 4;
  std::vector<Matrix<Rational>> X;
  for (std::size_t i = 0; i < n; ++i) X.push_back(random_integers(random, T, d, 3));
  return token_problem(X, random_integers(random, n, d, 2),
                       1 + (T > 2 && random() % 3 == 0 ? 1 : 0));
}

}  // namespace

TEST_CASE("exact least squares ends at the optimum from any guess, or none") {
  std::mt19937_64 random(31);
  std::size_t feasible = 0, stopped = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const MarginProblem problem = random_problem(random);
    const IntegerProblem rows = integer_problem(problem);
    if (rows.zero_row) continue;
    const std::optional<Rational> norm2 = reference_norm2(problem);
    feasible += norm2 ? 1 : 0;
    INFO("trial " << trial);
    for (const int share : {0, 30, 100}) {
      std::vector<std::size_t> guess;
      for (std::size_t k = rows.equalities.size(); k < rows.size(); ++k)
        if (static_cast<int>(random() % 100) < share) guess.push_back(k);
      const auto set = exact_active_set(rows, guess, unlimited);
      REQUIRE(set);
      CHECK(optimum(problem, rows, *set) == norm2);
      if (share == 0 && !exact_active_set(rows, guess, 0)) ++stopped;
    }
  }
  CHECK(feasible > 50);
  CHECK(stopped > 100);
}

TEST_CASE("the guess in double needs no exchange on generic data") {
  std::mt19937_64 random(37);
  std::size_t at_once = 0, all = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const MarginProblem problem = token_problem(
        {random_doubles(random, 5, 4), random_doubles(random, 5, 4)}, random_doubles(random, 2, 4));
    const IntegerProblem rows = integer_problem(problem);
    const ApproxActiveSet found = approx_active_set(double_system(rows, row_scales(rows)));
    ++all;
    at_once += exact_active_set(rows, found.active, 0) ? 1 : 0;
  }
  CHECK(at_once == all);
}

TEST_CASE("merging keeps the row that implies the others and the sign of directions") {
  // <(2, 0), W> >= 1 follows from <(1, 0), W> >= 1; z = (-1) turns the row around.
  MarginProblem problem = rows_problem({{2, 0}, {1, 0}, {4, 0}, {0, Rational(3, 5)}});
  const IntegerProblem rows = integer_problem(problem);
  REQUIRE(rows.inequalities.size() == 2);
  CHECK(rows.inequalities.source[0] == 1);
  problem.Z(0, 0) = Rational(-1);
  const IntegerProblem turned = integer_problem(problem);
  CHECK(fmpz_cmp_si(turned.z.at(0, 0), 1) == 0);
  CHECK(fmpz_cmp_si(turned.inequalities.a.at(0, 0), -1) == 0);
  CHECK(turned.inequalities.scale[1] == Rational(3, 5));
}
