// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/margin/exact_frobenius.hpp"
#include "heed/margin/frobenius_bracket.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace margin_test;

namespace {

// Proved, contains the optimum, and as narrow as asked for; empty if so.
std::string bracket_fault(const MarginProblem& problem, const FrobeniusMargin& margin,
                          const Rational& norm2, int bits) {
  const auto* bracket = std::get_if<MarginBracket>(&margin.result);
  if (bracket == nullptr) return "no bracket";
  if (std::string found = fault(problem, *bracket); !found.empty()) return found;
  if (!(bracket->lo <= norm2 && norm2 <= bracket->hi)) return "does not contain the optimum";
  if (!(bracket->hi - bracket->lo <= bracket->lo * Rational::power_of_two(-bits))) return "wide";
  return {};
}

}  // namespace

TEST_CASE("brackets of the reference files contain the exact optimum and are narrow") {
  for (const Fixture& f : fixtures()) {
    INFO(f.id);
    for (const int bits : {8, 64, 200, 1000}) {
      const FrobeniusMargin margin = frobenius_bracket(f.problem, bits);
      if (f.norm2)
        CHECK(bracket_fault(f.problem, margin, *f.norm2, bits) == "");
      else
        CHECK_FALSE(std::holds_alternative<MarginBracket>(margin.result));
    }
  }
}

TEST_CASE("brackets of random problems, with ties, equalities and all bits of doubles") {
  std::mt19937_64 random(11);
  std::size_t feasible = 0, wide = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + random() % 4, T = 2 + random() % 4, d = 2 + random() % 3;
    std::vector<Matrix<Rational>> X;
    const bool coarse = random() % 2 == 0;
    for (std::size_t i = 0; i < n; ++i)
      X.push_back(coarse ? random_integers(random, T, d, 2) : random_doubles(random, T, d));
    const MarginProblem problem =
        token_problem(X, coarse ? random_integers(random, n, d, 1) : random_doubles(random, n, d),
                      1 + random() % 2);
    if (problem.rows() == 0) continue;
    const FrobeniusMargin exact = exact_frobenius(problem);
    const FrobeniusMargin margin = frobenius_bracket(problem, 80);
    INFO("trial " << trial);
    if (!exact.exact()) {
      CHECK_FALSE(std::holds_alternative<MarginBracket>(margin.result));
      continue;
    }
    ++feasible;
    const std::string found =
        bracket_fault(problem, margin, std::get<MarginBracket>(exact.result).lo, 80);
    if (found == "wide")
      ++wide;
    else
      CHECK(found == "");
  }
  CHECK(feasible > 80);
  CHECK(wide == 0);
}

TEST_CASE("the wished precision has limits") {
  const MarginProblem problem = rows_problem({{Rational(1)}});
  CHECK_THROWS_AS(frobenius_bracket(problem, 7), std::invalid_argument);
  CHECK_THROWS_AS(frobenius_bracket(problem, 20'001), std::invalid_argument);
}
