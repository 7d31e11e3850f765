// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>

#include "heed/margin/exact_frobenius.hpp"
#include "heed/margin/frobenius_bracket.hpp"
#include "unit/margin/support.hpp"

using namespace heed;
using namespace margin_test;

namespace {

// Exact, proved, equal to textbook least squares; empty if so.
std::string check_exact(const MarginProblem& problem) {
  return exactness_fault(problem, exact_frobenius(problem), reference_norm2(problem));
}

// Exact and proved, where the textbook method would take too long.
std::string check_proof(const MarginProblem& problem, const FrobeniusMargin& margin) {
  if (const auto* proof = std::get_if<Infeasibility>(&margin.result)) return fault(problem, *proof);
  return optimality_fault(problem, std::get<MarginBracket>(margin.result));
}

Rational one_over(const std::string& number) { return Rational(1) / Rational::parse(number); }

}  // namespace

TEST_CASE("problems with known optima") {
  const auto optimum = [](const std::vector<std::vector<Rational>>& rows) {
    const MarginProblem problem = rows_problem(rows);
    const FrobeniusMargin margin = exact_frobenius(problem);
    CHECK(check_proof(problem, margin) == "");
    return std::get<MarginBracket>(margin.result).lo.to_string();
  };
  const Rational half(1, 2);
  CHECK(optimum({{1, 0}, {0, 1}}) == "2");
  CHECK(optimum({{3, 4}}) == "1/25");
  // The nearest point of a simplex: w = (1, ..., 1).
  CHECK(optimum({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}) == "4");
  // A vertex where every row is active although two carry it.
  CHECK(optimum({{1, 0}, {0, 1}, {half, half}, {Rational(1, 3), Rational(2, 3)}}) == "2");
  // A degenerate point: w = (1, 0) meets three rows, the second and third without multiplier.
  CHECK(optimum({{1, 0}, {1, 5}, {1, -5}, {2, 1}}) == "1");
  // Least squares with one slack row: the second row alone decides.
  CHECK(optimum({{4, 4}, {half, 0}}) == "4");
  CHECK(optimum({{1, Rational(1, 1000)}, {1, Rational(-1, 1000)}, {Rational(999, 1000), 0}}) ==
        "1000000/998001");
}

TEST_CASE("problems without solution and without rows") {
  for (const auto& rows : std::vector<std::vector<std::vector<Rational>>>{
           {{1, 0}, {-1, 0}},
           {{0, 0}},
           {{1, 2}, {0, 0}, {3, 4}},
           {{1, 0}, {Rational(-1, 2), 1}, {Rational(-1, 2), -1}},
           {{1, 0, 7}, {-2, 0, -14}, {0, 1, 0}}}) {
    const MarginProblem problem = rows_problem(rows);
    const FrobeniusMargin margin = exact_frobenius(problem);
    REQUIRE(std::holds_alternative<Infeasibility>(margin.result));
    CHECK(fault(problem, std::get<Infeasibility>(margin.result)) == "");
    const FrobeniusMargin chosen = frobenius_margin(problem, {Exactness::never, 300, 64});
    REQUIRE(std::holds_alternative<Infeasibility>(chosen.result));
  }
  QueryInstance single;
  single.X = {Matrix<Rational>(1, 2)};
  single.Z = Matrix<Rational>(1, 2);
  single.selected = {{0}};
  const MarginProblem none = margin_problem(single);
  CHECK(std::holds_alternative<NoConstraints>(exact_frobenius(none).result));
  CHECK(std::holds_alternative<NoConstraints>(frobenius_bracket(none).result));
  CHECK(std::holds_alternative<NoConstraints>(frobenius_margin(none).result));
}

TEST_CASE("equal rows, multiples of rows, collinear queries") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t n = 2 + random() % 3, d = 2 + random() % 3;
    Matrix<Rational> Z = random_integers(random, n, d, 1);
    for (std::size_t c = 0; c < d; ++c) Z(1, c) = Z(0, c) * Rational(trial % 2 == 0 ? -3 : 2, 7);
    std::vector<Matrix<Rational>> X;
    for (std::size_t i = 0; i < n; ++i) {
      Matrix<Rational> x = random_integers(random, 4, d, 2);
      for (std::size_t c = 0; c < d; ++c) {
        x(2, c) = x(1, c);
        // x_0 - x_3 is twice x_0 - x_1
        x(3, c) = x(0, c) + Rational(2) * (x(1, c) - x(0, c));
      }
      X.push_back(x);
    }
    const MarginProblem problem = token_problem(X, Z);
    INFO("trial " << trial);
    CHECK(check_exact(problem) == "");
  }
}

TEST_CASE("equalities: dependent, contradicting, many") {
  std::mt19937_64 random(5);
  std::size_t feasible = 0, infeasible = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + random() % 3, d = 2 + random() % 3, T = 4 + random() % 2;
    std::vector<Matrix<Rational>> X;
    for (std::size_t i = 0; i < n; ++i) {
      Matrix<Rational> x = random_integers(random, T, d, 2);
      // The equalities of tokens 1 and 2 are multiples of each other.
      for (std::size_t c = 0; c < d; ++c) x(2, c) = x(0, c) - Rational(3, 2) * (x(0, c) - x(1, c));
      X.push_back(x);
    }
    const MarginProblem problem = token_problem(X, random_integers(random, n, d, 2), 3);
    const auto norm2 = reference_norm2(problem);
    ++(norm2 ? feasible : infeasible);
    INFO("trial " << trial);
    CHECK(exactness_fault(problem, exact_frobenius(problem), norm2) == "");
  }
  CHECK(feasible > 40);
  CHECK(infeasible > 40);
}

TEST_CASE("all rows on the boundary: corners of cubes and rows that follow from others") {
  std::mt19937_64 random(13);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t d = 2 + random() % 4;
    std::vector<std::vector<Rational>> rows;
    for (std::size_t corner = 0; corner < (std::size_t{1} << d); ++corner) {
      std::vector<Rational> f{Rational(1)};
      for (std::size_t c = 0; c < d; ++c) f.emplace_back((corner >> c) % 2 == 0 ? 1 : -1);
      rows.push_back(f);
    }
    std::shuffle(rows.begin(), rows.end(), random);
    const FrobeniusMargin margin = exact_frobenius(rows_problem(rows));
    CHECK(check_proof(rows_problem(rows), margin) == "");
    CHECK(std::get<MarginBracket>(margin.result).lo == Rational(1));
  }
}

TEST_CASE("a small problem of two variables with three nearly parallel active rows") {
  for (const std::string eps : {"1e-3", "1e-9", "1e-17", "1e-40"}) {
    const Rational e = Rational::parse(eps);
    const MarginProblem problem =
        rows_problem({{1, 1}, {1, Rational(1) + e}, {1, Rational(1) - e}, {0, 1}, {1, 0}});
    CHECK(check_exact(problem) == "");
    const MarginProblem steep = rows_problem({{e, 1}, {Rational(0) - e, 1}, {1, e}, {1, -e}});
    CHECK(check_exact(steep) == "");
  }
}

TEST_CASE("margins from 1e-6 down to 1e-40 of the norm of the rows, and just infeasible ones") {
  std::mt19937_64 random(17);
  for (const std::string eps : {"1e-6", "1e-10", "1e-12", "1e-20", "1e-40"})
    for (int trial = 0; trial < 6; ++trial) {
      const Rational e = Rational::parse(eps);
      const std::size_t d = 3, m = 6;
      // Rows in a plane, shifted by e out of it: separable by e only.
      std::vector<std::vector<Rational>> rows;
      const Matrix<Rational> f = random_integers(random, m, d, 5);
      for (std::size_t k = 0; k < m; ++k) {
        std::vector<Rational> row;
        for (std::size_t c = 0; c < d; ++c) row.push_back(f(k, c));
        rows.push_back(row);
        rows.back().push_back(e * Rational(1 + static_cast<long>(random() % 3)));
        for (Rational& x : row) x = -x;
        rows.push_back(row);
        rows.back().push_back(e * Rational(1 + static_cast<long>(random() % 3)));
      }
      INFO(eps << " trial " << trial);
      const MarginProblem problem = rows_problem(rows);
      const auto norm2 = reference_norm2(problem);
      REQUIRE(norm2);
      CHECK(*norm2 > one_over("100") / (e * e));
      CHECK(exactness_fault(problem, exact_frobenius(problem), norm2) == "");
      const FrobeniusMargin bracket = frobenius_bracket(problem, 40);
      REQUIRE(std::holds_alternative<MarginBracket>(bracket.result));
      const auto& b = std::get<MarginBracket>(bracket.result);
      CHECK(fault(problem, b) == "");
      CHECK((b.lo <= *norm2 && *norm2 <= b.hi));
      CHECK(b.hi / b.lo - Rational(1) <= Rational::power_of_two(-40));
      rows.back().back() = -e * Rational(7);
      const MarginProblem spoiled = rows_problem(rows);
      CHECK(check_exact(spoiled) == "");
      rows.back().back() = -rows[rows.size() - 2].back();  // opposite to its partner
      const FrobeniusMargin opposite = exact_frobenius(rows_problem(rows));
      REQUIRE(std::holds_alternative<Infeasibility>(opposite.result));
      CHECK(fault(rows_problem(rows), std::get<Infeasibility>(opposite.result)) == "");
    }
}

TEST_CASE("rows of very different size") {
  std::mt19937_64 random(19);
  for (int trial = 0; trial < 60; ++trial) {
    Matrix<Rational> f = random_integers(random, 7, 4, 3);
    std::vector<std::vector<Rational>> rows;
    for (std::size_t k = 0; k < f.rows(); ++k) {
      const Rational scale = Rational::power_of_two(static_cast<long>(random() % 2001) - 1000);
      std::vector<Rational> row{scale};
      for (std::size_t c = 0; c < f.cols(); ++c) row.push_back(scale * f(k, c));
      rows.push_back(row);
    }
    INFO("trial " << trial);
    const MarginProblem problem = rows_problem(rows);
    CHECK(check_exact(problem) == "");
    const FrobeniusMargin bracket = frobenius_bracket(problem, 50);
    if (const auto norm2 = reference_norm2(problem)) {
      REQUIRE(std::holds_alternative<MarginBracket>(bracket.result));
      const auto& b = std::get<MarginBracket>(bracket.result);
      CHECK(fault(problem, b) == "");
      CHECK(b.hi / b.lo - Rational(1) <= Rational::power_of_two(-50));
    }
  }
}

TEST_CASE("rows that nearly cancel: the verdict is right and the optimum exact") {
  // Features g + y e h: their common part g is 1e10 times what separates the classes.
  std::mt19937_64 random(23);
  for (const double part : {1e-7, 1e-10, 1e-13}) {
    const std::size_t m = 30, P = 60;
    const Matrix<Rational> noise = random_doubles(random, m, P), g = random_doubles(random, 1, P);
    std::vector<std::vector<Rational>> rows;
    for (std::size_t k = 0; k < m; ++k) {
      std::vector<Rational> row;
      const Rational y(k % 2 == 0 ? 1 : -1);
      for (std::size_t c = 0; c < P; ++c)
        row.push_back(y * (g(0, c) + Rational(part) * noise(k, c)));
      rows.push_back(row);
    }
    const MarginProblem problem = rows_problem(rows);
    const FrobeniusMargin exact = exact_frobenius(problem);
    CHECK(exact.exact());
    CHECK(check_proof(problem, exact) == "");
    const FrobeniusMargin bracket = frobenius_bracket(problem, 100);
    REQUIRE(std::holds_alternative<MarginBracket>(bracket.result));
    const auto& b = std::get<MarginBracket>(bracket.result);
    CHECK(fault(problem, b) == "");
    CHECK(b.hi / b.lo - Rational(1) <= Rational::power_of_two(-100));
    const Rational norm2 = std::get<MarginBracket>(exact.result).lo;
    CHECK((b.lo <= norm2 && norm2 <= b.hi));
  }
}

TEST_CASE("the choice between exact and bracket") {
  std::mt19937_64 random(29);
  const MarginProblem problem = token_problem(
      {random_doubles(random, 4, 5), random_doubles(random, 5, 5)}, random_doubles(random, 2, 5));
  CHECK(frobenius_margin(problem).exact());
  const FrobeniusMargin bracket = frobenius_margin(problem, {Exactness::never, 300, 64});
  CHECK_FALSE(bracket.exact());
  CHECK(fault(problem, std::get<MarginBracket>(bracket.result)) == "");
  CHECK_FALSE(frobenius_margin(problem, {Exactness::automatic, 1, 64}).exact());
  CHECK(frobenius_margin(problem, {Exactness::always, 1, 64}).exact());
  CHECK_THROWS_AS(frobenius_margin(problem, {Exactness::never, 300, 0}), std::invalid_argument);
}
