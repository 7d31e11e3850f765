// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/exact_solve.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "unit/margin/nuclear_support.hpp"

using namespace heed;

namespace {

using Vector = std::vector<Rational>;

Vector times(const Matrix<Rational>& a, const Vector& x) {
  Vector y(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) y[i] += a(i, j) * x[j];
  return y;
}

/// B C with B: n x r, C: r x n of small fractions; of rank r at most.
Matrix<Rational> of_rank(std::mt19937_64& random, std::size_t n, std::size_t r, bool symmetric) {
  const auto small = [&] {
    return Rational(static_cast<long>(random() % 7) - 3, 1 + static_cast<long>(random() % 3));
  };
  Matrix<Rational> b(n, r), c(r, n), a(n, n);
  for (Rational& x : b.entries()) x = small();
  for (Rational& x : c.entries()) x = small();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < r; ++k) a(i, j) += b(i, k) * (symmetric ? b(j, k) : c(k, j));
  return a;
}

}  // namespace

TEST_CASE("exact systems, regular and singular: solutions solve them, null spaces are complete") {
  std::mt19937_64 random(8);
  std::size_t regular = 0, singular = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t n = 1 + random() % 6, r = random() % (n + 1);
    INFO("trial " << trial);
    const Matrix<Rational> a = of_rank(random, n, r, false);
    Vector x(n);
    for (Rational& e : x) e = Rational(static_cast<long>(random() % 9) - 4);
    const Vector b = times(a, x);
    const auto kernel = null_space(a);
    CHECK(kernel.size() + r >= n);
    // One vector a dependent coordinate: 1 there, 0 at the other dependent ones.
    for (const Vector& v : kernel) {
      CHECK(times(a, v) == Vector(n));
      CHECK(std::count(v.begin(), v.end(), Rational(1)) >= 1);
    }
    CHECK(times(a, solve_consistent(a, b)) == b);
    const auto unique = solve_exactly(a, b);
    CHECK(unique.has_value() == kernel.empty());
    if (unique) CHECK(*unique == x);
    ++(kernel.empty() ? regular : singular);
  }
  CHECK(regular > 50);
  CHECK(singular > 50);
}

TEST_CASE("semidefinite fractions, against elimination with pivoting") {
  std::mt19937_64 random(9);
  std::size_t yes = 0, no = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t n = 1 + random() % 5;
    Matrix<Rational> a = of_rank(random, n, random() % (n + 1), true);
    if (trial % 2 == 0) a(n - 1, n - 1) -= Rational(1, 1 + static_cast<long>(random() % 9));
    const bool expected = margin_test::semidefinite(a);
    INFO("trial " << trial);
    CHECK(is_positive_semidefinite(a) == expected);
    ++(expected ? yes : no);
  }
  CHECK(yes > 200);
  CHECK(no > 100);
}
