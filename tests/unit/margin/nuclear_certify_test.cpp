// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_certify.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "heed/margin/detail/nuclear_careful.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "unit/margin/nuclear_support.hpp"

using namespace heed;
using namespace margin_test;

TEST_CASE("whatever the candidate, the bracket proves itself and contains the optimum") {
  std::mt19937_64 random(5);
  std::size_t proved = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    const MarginProblem problem = gaussian_problem(3, 5, 4, seed);
    const NuclearMargin tight = nuclear_bracket(problem, 30);
    if (!std::holds_alternative<MarginBracket>(tight.result)) continue;
    const auto& optimum = std::get<MarginBracket>(tight.result);
    const detail::NuclearCandidate candidate = detail::solve_nuclear(problem);
    const detail::ExactRows rows(problem, candidate.rows);
    detail::FixedPoint x = detail::round_candidate(candidate, 90);
    // Multipliers up to three times too large, some negative; factors off by one part in 64.
    for (std::size_t k = 0; k < x.l.rows(); ++k) {
      fmpz_mul_si(x.l.at(k, 0), x.l.at(k, 0), static_cast<slong>(random() % 3) + 1);
      if (random() % 6 == 0) fmpz_set_si(x.l.at(k, 0), -(1L << 60));
    }
    for (std::size_t i = 0; i < x.V.rows(); ++i)
      for (std::size_t j = 0; j < x.V.cols(); ++j) {
        detail::Integer t;
        fmpz_mul_si(t.raw(), x.V.at(i, j), static_cast<slong>(random() % 3) - 1);
        fmpz_fdiv_q_2exp(t.raw(), t.raw(), 6);
        fmpz_add(x.V.at(i, j), x.V.at(i, j), t.raw());
      }
    const auto bracket = detail::certify(problem, candidate.rows, rows, x, 60);
    if (!bracket) continue;
    CHECK(nuclear_fault(problem, *bracket) == "");
    CHECK(bracket->lo <= optimum.hi);
    CHECK(optimum.lo <= bracket->hi);
    CHECK(bracket->lo * Rational(20) > optimum.lo);
    ++proved;
  }
  CHECK(proved > 20);
}

TEST_CASE("multipliers at rounding level: the norm of M is 1 up to 1e-16, on either side") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    const MarginProblem problem = gaussian_problem(3, 5, 5, seed);
    const detail::NuclearCandidate candidate = detail::solve_nuclear(problem);
    const detail::ExactRows rows(problem, candidate.rows);
    const auto bracket = detail::certify(problem, candidate.rows, rows,
                                         detail::round_candidate(candidate, 160), 120);
    REQUIRE(bracket);
    CHECK(nuclear_fault(problem, *bracket) == "");
    CHECK(gap(*bracket) < 1e-11);
  }
}

TEST_CASE("the Frobenius solution as a candidate") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const MarginProblem problem = gaussian_problem(2, 4, 5, seed);
    const FrobeniusMargin frobenius = exact_frobenius(problem);
    const auto& exact = std::get<MarginBracket>(frobenius.result);
    detail::ScaledRows scaled = detail::scale_rows(problem);
    scaled.rescale(detail::exponent_above(&exact.hi, 1) / 4);
    const auto bracket =
        detail::certify(problem, scaled, detail::ExactRows(problem, scaled),
                        detail::frobenius_candidate(problem, scaled, exact, 200), 60);
    REQUIRE(bracket);
    CHECK(nuclear_fault(problem, *bracket) == "");
    CHECK(bracket->hi <= bracket->lo * Rational(20));
    CHECK(bracket->lo * bracket->lo >= exact.lo * Rational(1, 2));
  }
}

TEST_CASE("the interior point method with many digits agrees with Newton's method") {
  for (const int digits : {12, 30, 60}) {
    const MarginProblem problem = gaussian_problem(2, 4, 4, 7);
    const auto optimum = std::get<MarginBracket>(nuclear_bracket(problem, 70).result);
    detail::ScaledRows scaled = detail::scale_rows(problem);
    const long bits = 4L * digits + 60;
    auto x = detail::careful_candidate(problem, scaled, digits, bits);
    REQUIRE(x);
    const auto bracket = detail::certify(problem, scaled, detail::ExactRows(problem, scaled),
                                         std::move(*x), bits - 40);
    REQUIRE(bracket);
    CHECK(nuclear_fault(problem, *bracket) == "");
    CHECK(bracket->lo <= optimum.hi);
    CHECK(optimum.lo <= bracket->hi);
    CHECK(bracket->hi - bracket->lo <=
          bracket->lo * Rational::parse("1e-" + std::to_string(digits)));
  }
}
