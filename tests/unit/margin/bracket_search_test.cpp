// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/bracket_search.hpp"

#include <catch2/catch.hpp>

#include "heed/margin/exact_frobenius.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace heed::detail;
using namespace margin_test;

namespace {

// The best bracket from a guess of the rows in use, which may be wrong.
std::optional<MarginBracket> search(const MarginProblem& problem,
                                    const std::vector<std::size_t>& guess, int bits) {
  const IntegerProblem rows = integer_problem(problem);
  const RowScales scales = row_scales(rows);
  const GramSystem<double> system = double_system(rows, scales);
  BracketSearch found(rows, scales, bits);
  found.improve(
      [&](const std::vector<std::size_t>& active) { return double_solve(system, scales, active); },
      guess);
  if (!found.best()) return std::nullopt;
  Integer divisor;
  fmpz_mul(divisor.raw(), found.best()->scale.raw(), rows.B.raw());
  Multipliers m = original_multipliers(rows, found.best()->index, found.best()->x, divisor);
  return MarginBracket{
      m.lambda, m.mu, {}, {}, {}, found.best()->bounds.lo, found.best()->bounds.hi};
}

}  // namespace

TEST_CASE("a row with a negative multiplier is given up") {
  // Both rows with equality: W = (2, -7/4), multipliers of both signs, norm^2 above the optimum 4.
  const MarginProblem problem = rows_problem({{4, 4}, {Rational(1, 2), 0}});
  const auto bracket = search(problem, {0, 1}, 60);
  REQUIRE(bracket);
  CHECK(fault(problem, *bracket) == "");
  CHECK((bracket->lo <= Rational(4) && Rational(4) <= bracket->hi));
  CHECK(bracket->lambda[0].sign() == 0);
  CHECK(bracket->hi - bracket->lo <= Rational::power_of_two(-57));
}

TEST_CASE("whatever rows are guessed, what is found is proved") {
  std::mt19937_64 random(61);
  std::size_t narrow = 0, found = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 2 + random() % 2, T = 3 + random() % 3, d = 3;
    std::vector<Matrix<Rational>> X;
    for (std::size_t i = 0; i < n; ++i) X.push_back(random_normal(random, T, d));
    const MarginProblem problem = token_problem(X, random_normal(random, n, d), 1 + random() % 2);
    const IntegerProblem rows = integer_problem(problem);
    std::vector<std::size_t> guess;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows.is_equality(k) || random() % 2 == 0) guess.push_back(k);
    const auto bracket = search(problem, guess, 50);
    if (!bracket) continue;
    ++found;
    INFO("trial " << trial);
    CHECK(fault(problem, *bracket) == "");
    const FrobeniusMargin exact = exact_frobenius(problem);
    REQUIRE(exact.exact());
    const Rational& norm2 = std::get<MarginBracket>(exact.result).lo;
    CHECK((bracket->lo <= norm2 && norm2 <= bracket->hi));
    narrow += bracket->hi - bracket->lo <= norm2 * Rational::power_of_two(-50) ? 1 : 0;
  }
  CHECK(found > 60);
  CHECK(narrow > 40);
}
