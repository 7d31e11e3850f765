// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/margin/nuclear_bracket.hpp"
#include "unit/margin/nuclear_support.hpp"

using namespace heed;
using namespace margin_test;

namespace {

const MarginBracket& bracket_of(const NuclearMargin& margin) {
  return std::get<MarginBracket>(margin.result);
}

}  // namespace

TEST_CASE("reference files: the value is inside a proved bracket, or there is a Farkas vector") {
  std::size_t values = 0, infeasible = 0;
  for (const NuclearFixture& f : nuclear_fixtures())
    for (const int digits : {9, 30, 45}) {
      INFO(f.id << ", " << digits << " digits");
      const NuclearMargin margin = nuclear_bracket(f.problem, digits);
      if (!f.feasible) {
        CHECK(infeasibility_fault(f.problem, std::get<Infeasibility>(margin.result)) == "");
        ++infeasible;
        continue;
      }
      REQUIRE(std::holds_alternative<MarginBracket>(margin.result));
      const MarginBracket& b = bracket_of(margin);
      CHECK(margin.reached);
      CHECK(b.hi - b.lo <= b.lo * Rational::parse("1e-" + std::to_string(digits)));
      CHECK(nuclear_fault(f.problem, b) == "");
      if (!f.value) continue;
      // The files give 50 significant digits.
      const Rational last = *f.value * Rational::parse("1e-48");
      CHECK(b.lo - last <= *f.value);
      CHECK(*f.value <= b.hi + last);
      ++values;
    }
  CHECK(values == 3 * 12);
  CHECK(infeasible == 3 * 2);
}

TEST_CASE("random problems to 9 and to 30 digits") {
  struct Size {
    std::size_t n, T, d;
  };
  for (const Size s : {Size{6, 8, 10}, {15, 5, 20}, {20, 10, 20}})
    for (unsigned seed = 0; seed < 3; ++seed)
      for (const int digits : {9, 30}) {
        INFO(s.n << ' ' << s.T << ' ' << s.d << " seed " << seed);
        const MarginProblem problem = gaussian_problem(s.n, s.T, s.d, seed);
        const NuclearMargin margin = nuclear_bracket(problem, digits);
        REQUIRE(std::holds_alternative<MarginBracket>(margin.result));
        CHECK(margin.reached);
        if (s.d == 10) CHECK(nuclear_fault(problem, bracket_of(margin)) == "");
      }
}

TEST_CASE("a hundred digits on request") {
  const MarginProblem problem = gaussian_problem(3, 4, 4, 1);
  const NuclearMargin margin = nuclear_bracket(problem, 100);
  CHECK(margin.reached);
  CHECK(nuclear_fault(problem, bracket_of(margin)) == "");
}

TEST_CASE("small problems with many equal rows: all bracketed to 39 digits, or infeasible") {
  std::size_t bracketed = 0, infeasible = 0;
  for (unsigned seed = 0; seed < 450; ++seed) {
    INFO("seed " << seed);
    const MarginProblem problem = vocabulary_problem(seed);
    const NuclearMargin margin = nuclear_bracket(problem, 39);
    if (const auto* proof = std::get_if<Infeasibility>(&margin.result)) {
      CHECK(infeasibility_fault(problem, *proof) == "");
      ++infeasible;
    } else {
      REQUIRE(std::holds_alternative<MarginBracket>(margin.result));
      const MarginBracket& b = bracket_of(margin);
      CHECK(margin.reached);
      CHECK(b.hi - b.lo <= b.lo * Rational::parse("1e-39"));
      CHECK(nuclear_fault(problem, b) == "");
      ++bracketed;
    }
  }
  CHECK(bracketed + infeasible == 450);
  CHECK(bracketed > 350);
}

TEST_CASE("statuses and wrong arguments of the nuclear bracket") {
  MarginProblem none = gaussian_problem(2, 1, 3, 0);
  CHECK(std::holds_alternative<NoConstraints>(nuclear_bracket(none).result));
  CHECK_THROWS_AS(nuclear_bracket(none, 0), std::invalid_argument);
  MarginProblem tie = gaussian_problem(2, 3, 3, 0);
  for (std::size_t c = 0; c < 3; ++c) tie.inequalities.a(1, c) = Rational(0);
  CHECK(infeasibility_fault(tie, std::get<Infeasibility>(nuclear_bracket(tie).result)) == "");
}
