// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/margin/norms_coincide.hpp"
#include "unit/margin/nuclear_support.hpp"

using namespace heed;
using namespace margin_test;

namespace {

const NuclearFixture& fixture(const std::vector<NuclearFixture>& all, const std::string& start) {
  for (const NuclearFixture& f : all)
    if (f.id.rfind("attsvm_" + start, 0) == 0) return f;
  throw std::runtime_error("no fixture " + start);
}

}  // namespace

TEST_CASE("reference files: when the Frobenius solution solves the nuclear problem") {
  const std::vector<NuclearFixture> all = nuclear_fixtures();
  for (const char* one : {"01", "05", "06"}) {  // one input; d = 1; one input
    INFO(one);
    const NormsCoincide c = norms_coincide(fixture(all, one).problem);
    CHECK(c.coincide == Ternary::certainly_true);
    CHECK(c.unique == Ternary::certainly_true);
  }
  const NormsCoincide orthogonal = norms_coincide(fixture(all, "08").problem);
  CHECK(orthogonal.coincide == Ternary::certainly_true);
  CHECK(orthogonal.unique == Ternary::certainly_false);
  for (const char* two : {"07", "09", "10"}) {
    INFO(two);
    CHECK(norms_coincide(fixture(all, two).problem).coincide == Ternary::certainly_false);
    CHECK(norms_coincide(fixture(all, two).problem, false).coincide == Ternary::unknown);
  }
  CHECK(norms_coincide(fixture(all, "02").problem).coincide == Ternary::unknown);
}

TEST_CASE("structural hypotheses: a change in the last place ends them") {
  MarginProblem problem = gaussian_problem(3, 3, 3, 5);
  for (std::size_t c = 0; c < 3; ++c) {
    problem.Z(1, c) = problem.Z(0, c) * Rational(-2);
    problem.Z(2, c) = problem.Z(0, c) * Rational(1, 3);
  }
  CHECK(norms_coincide(problem, false).unique == Ternary::certainly_true);
  problem.Z(2, 1) += Rational::power_of_two(-300);
  CHECK(norms_coincide(problem, false).unique == Ternary::unknown);

  // All differences collinear, queries arbitrary.
  MarginProblem line = gaussian_problem(2, 3, 3, 6);
  for (std::size_t k = 0; k < line.rows(); ++k)
    for (std::size_t c = 0; c < 3; ++c)
      line.inequalities.a(k, c) = Rational(static_cast<long>((k + 1) * (c + 1)));
  CHECK(norms_coincide(line, false).coincide == Ternary::certainly_true);
}

TEST_CASE("orthogonal inputs: the answer agrees with the two optima") {
  const NuclearFixture f = fixture(nuclear_fixtures(), "08");
  MarginProblem problem = f.problem;
  problem.inequalities.a(0, 0) = Rational(1, 2);
  const auto bracket = std::get<MarginBracket>(nuclear_bracket(problem, 30).result);
  // ||W_F||_* = 2 + 1.
  CHECK(bracket.lo <= Rational(3));
  CHECK(Rational(3) <= bracket.hi);
  CHECK(norms_coincide(problem).unique == Ternary::certainly_false);
}
