// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/margin/nuclear_rank.hpp"
#include "unit/margin/nuclear_support.hpp"

using namespace heed;
using namespace margin_test;

namespace {

// W = I, M = I for the rows e_1 e_1^T and e_2 e_2^T: lo = hi = 2.
MarginProblem diagonal_problem(long second) {
  MarginProblem problem;
  problem.Z = Matrix<Rational>(2, 2);
  problem.Z(0, 0) = problem.Z(1, 1) = Rational(1);
  problem.inequalities.a = Matrix<Rational>(2, 2);
  problem.inequalities.a(0, 0) = Rational(1);
  problem.inequalities.a(1, 1) = Rational(second);
  problem.inequalities.query = problem.inequalities.token = {0, 1};
  problem.equalities.a = Matrix<Rational>(0, 2);
  return problem;
}

Matrix<Rational> identity() {
  Matrix<Rational> one(2, 2);
  one(0, 0) = one(1, 1) = Rational(1);
  return one;
}

}  // namespace

TEST_CASE("rank certificates of the reference files") {
  std::size_t files = 0;
  for (const NuclearFixture& f : nuclear_fixtures()) {
    if (!f.rank) continue;
    INFO(f.id);
    const auto bracket = std::get<MarginBracket>(nuclear_bracket(f.problem, 30).result);
    const NuclearRank rank = nuclear_rank(f.problem, bracket);
    CHECK(rank.rank_bound <= std::min(f.problem.p(), f.problem.q()));
    CHECK(*f.rank <= rank.rank_bound);
    if (*f.rank == std::min(f.problem.p(), f.problem.q())) {
      CHECK(rank.bounds.empty());
    } else {
      REQUIRE(rank.best());
      CHECK(rank.best()->k == *f.rank);
      CHECK(rank.best()->tail < bracket.hi * Rational::parse("1e-25"));
    }
    ++files;
  }
  CHECK(files == 12);
}

TEST_CASE("the tail bounds hold for solutions, and a bound stated too low would not") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const MarginProblem problem = gaussian_problem(4, 5, 6, seed);
    // A wide bracket from other multipliers: its bounds must cover the narrow one's solution.
    const auto narrow = std::get<MarginBracket>(nuclear_bracket(problem, 30).result);
    const NuclearRank rank = nuclear_rank(problem, narrow);
    REQUIRE(rank.best());
    CHECK(rank.best()->k == narrow.B->cols());
    for (std::size_t j = 1; j < rank.bounds.size(); ++j) {
      CHECK(rank.bounds[j].k == rank.bounds[j - 1].k + 1);
      CHECK(rank.bounds[j].sigma <= rank.bounds[j - 1].sigma);
    }
    for (const RankBound& b : rank.bounds) {
      CHECK(b.sigma < Rational(1));
      CHECK(b.tail == (narrow.hi - narrow.lo) / (Rational(1) - b.sigma));
    }
  }
}

TEST_CASE("exact optimum: tail 0 bounds the rank by the multiplicity of 1, without a tolerance") {
  const MarginProblem problem = diagonal_problem(1);
  MarginBracket bracket{{Rational(1), Rational(1)}, {}, {}, identity(), identity(), 2, 2};
  CHECK(nuclear_fault(problem, bracket) == "");
  CHECK(nuclear_rank(problem, bracket).bounds.empty());  // both singular values of M are 1

  // One row only is tight at W = diag(1, ...): the second is 1000 x >= 1.
  MarginProblem steep = diagonal_problem(1);
  steep.inequalities.a = Matrix<Rational>(1, 2);
  steep.inequalities.a(0, 0) = Rational(1);
  steep.inequalities.query = steep.inequalities.token = {0};
  Matrix<Rational> b(2, 1);
  b(0, 0) = Rational(1);
  const MarginBracket exact{{Rational(1)}, {}, {}, b, b, 1, 1};
  CHECK(nuclear_fault(steep, exact) == "");
  const NuclearRank rank = nuclear_rank(steep, exact);
  REQUIRE(rank.best());
  CHECK(rank.best()->k == 1);
  CHECK(rank.best()->tail == Rational(0));
  CHECK(rank.rank_bound == 1);
}

TEST_CASE("rank: wrong brackets are refused") {
  const MarginProblem problem = diagonal_problem(1);
  const MarginBracket no_lower{{Rational(1), Rational(1)}, {}, {}, {}, {}, 0, 2};
  CHECK_THROWS_AS(nuclear_rank(problem, no_lower), std::invalid_argument);
  const MarginBracket short_lambda{{Rational(1)}, {}, {}, {}, {}, 1, 2};
  CHECK_THROWS_AS(nuclear_rank(problem, short_lambda), std::invalid_argument);
}
