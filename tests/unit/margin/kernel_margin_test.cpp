// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/kernel_margin.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>

#include "heed/margin/exact_frobenius.hpp"
#include "heed/numeric/precision.hpp"

using namespace heed;

namespace {

Matrix<Ball> kernel(const Matrix<Rational>& F) {
  Matrix<Ball> Q(F.rows(), F.rows());
  for (std::size_t i = 0; i < F.rows(); ++i)
    for (std::size_t j = 0; j < F.rows(); ++j) {
      Rational sum;
      for (std::size_t c = 0; c < F.cols(); ++c) sum += F(i, c) * F(j, c);
      Q(i, j) = Ball(sum);
    }
  return Q;
}

/// gamma^2 by the exact solver; 0 if the rows cannot be separated.
Rational exact_squared(const Matrix<Rational>& F) {
  RowsInstance rows;
  rows.F = F;
  const FrobeniusMargin margin = exact_frobenius(margin_problem(rows));
  const auto* bracket = std::get_if<MarginBracket>(&margin.result);
  return bracket ? Rational(1) / bracket->lo : Rational(0);
}

/// lower^2 <= gamma^2 <= upper^2 at more digits than the bounds have.
void require_contains(const KernelMargin& m, const Rational& squared) {
  const PrecisionScope scope(4 * working_precision());
  CHECK(certainly(less_equal(square(m.lower), Ball(squared).upper())));
  CHECK(certainly(less_equal(Ball(squared).lower(), square(m.upper))));
}

Matrix<Rational> random_rows(std::mt19937_64& random, std::size_t n, std::size_t P, int most) {
  Matrix<Rational> F(n, P);
  for (Rational& x : F.entries())
    x = Rational(static_cast<int>(random() % (2 * most + 1)) - most, 3L);
  return F;
}

}  // namespace

TEST_CASE(
    "kernel margins enclose the exact ones of random rows, narrowly where they are positive") {
  std::mt19937_64 random(11);
  std::size_t separable = 0, not_separable = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 1 + random() % 8, P = 1 + random() % 8;
    Matrix<Rational> F = random_rows(random, n, P, 1 + static_cast<int>(random() % 6));
    if (random() % 3 == 0)  // sizes far apart
      for (std::size_t i = 0; i < n; ++i) {
        const Rational s = Rational::power_of_two(static_cast<long>(random() % 60) - 30);
        for (std::size_t c = 0; c < P; ++c) F(i, c) *= s;
      }
    const Rational squared = exact_squared(F);
    INFO("trial " << trial << ", gamma^2 = " << squared.nearest_double());
    const PrecisionScope scope(256);
    const KernelMargin m = kernel_margin(kernel(F));
    require_contains(m, squared);
    if (squared.sign() > 0) {
      ++separable;
      CHECK(m.separable());
      CHECK(m.gamma().has_relative_digits(30));
    } else {
      ++not_separable;
      CHECK(!m.separable());
      CHECK(m.upper.has_relative_digits(0));
      CHECK(approx::to_double(m.upper) < 1e-18);
    }
  }
  CHECK(separable > 80);
  CHECK(not_separable > 60);
}

TEST_CASE("nearly cancelling rows: margin / norm = 1e-10 is found to 12 digits and more") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    // Rows that cancel exactly under positive weights, in a hyperplane, and 1e-10 out of it.
    const std::size_t n = 4 + random() % 4, P = 12;
    Matrix<Rational> F = random_rows(random, n, P, 1000);
    for (std::size_t c = 0; c < P; ++c) {
      F(n - 1, c) = Rational(0);
      for (std::size_t i = 0; i + 1 < n; ++i)
        F(n - 1, c) -= F(i, c) * Rational(static_cast<long>(i + 1), static_cast<long>(n));
    }
    for (std::size_t i = 0; i < n; ++i) F(i, P - 1) = Rational::parse("1e-7");
    const Rational squared = exact_squared(F);
    REQUIRE(squared.sign() > 0);
    const PrecisionScope scope(256);
    const Matrix<Ball> Q = kernel(F);
    const KernelMargin m = kernel_margin(Q);
    require_contains(m, squared);
    CHECK(m.separable());
    CHECK(m.gamma().has_relative_digits(30));
    const double ratio = approx::to_double(m.upper) / std::sqrt(approx::to_double(Q(0, 0)));
    CHECK(ratio > 1e-11);
    CHECK(ratio < 1e-9);
    // Precision that does not suffice widens the bounds, it does not falsify them.
    const PrecisionScope low(53);
    require_contains(kernel_margin(kernel(F)), squared);
  }
}

TEST_CASE("any point of the simplex gives true bounds; other points are refused") {
  const PrecisionScope scope(128);
  Matrix<Rational> F(2, 2);
  F(0, 0) = Rational(3);
  F(1, 1) = Rational(4);
  const Matrix<Ball> Q = kernel(F);  // gamma = 12/5 at alpha = (16/25, 9/25)
  const KernelMargin best = kernel_margin_at(Q, {Rational(16, 25), Rational(9, 25)});
  require_contains(best, Rational(144, 25));
  CHECK(best.gamma().has_relative_digits(35));
  const KernelMargin corner = kernel_margin_at(Q, {Rational(1), Rational(0)});
  CHECK(approx::to_double(corner.lower) == 0);
  CHECK(approx::to_double(corner.upper) == 3);
  CHECK(corner.support == std::vector<std::size_t>{0});
  const KernelMargin middle = kernel_margin_at(Q, {Rational(1, 2), Rational(1, 2)});
  CHECK(approx::to_double(middle.upper) == 2.5);
  CHECK(approx::to_double(middle.lower) == 1.8);
  CHECK_THROWS_AS(kernel_margin_at(Q, {Rational(1, 2), Rational(1, 3)}), std::invalid_argument);
  CHECK_THROWS_AS(kernel_margin_at(Q, {Rational(2), Rational(-1)}), std::invalid_argument);
  CHECK_THROWS_AS(kernel_margin_at(Q, {Rational(1)}), std::invalid_argument);
}

TEST_CASE("a negative product never becomes a lower bound, nor does an unknown kernel") {
  const PrecisionScope scope(64);
  Matrix<Ball> Q(2, 2);
  Q(0, 0) = Ball(1);
  Q(1, 1) = Ball(4);
  Q(0, 1) = Q(1, 0) = Ball(-1.5);
  const KernelMargin m = kernel_margin_at(Q, {Rational(1), Rational(0)});
  CHECK(approx::to_double(m.lower) == 0);
  CHECK(!m.separable());
  Q(0, 1) = Q(1, 0) = Ball(1) / Ball(0);
  const KernelMargin unknown = kernel_margin(Q);
  CHECK(!unknown.separable());
  CHECK(!unknown.not_separable());
  CHECK(!certainly(less(unknown.upper, Ball(1000))));
}
