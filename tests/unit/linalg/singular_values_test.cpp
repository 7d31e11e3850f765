// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/singular_values.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "unit/margin/support.hpp"

using namespace heed;

TEST_CASE("singular values that are known exactly") {
  Matrix<Rational> third(1, 1);
  third(0, 0) = Rational(1, 3);  // its double is another number
  CHECK(fast_singular_values(third)[0].contains(Rational(1, 3)));

  // Rotation by (3/5, 4/5) of diag(2/3, 1/7), and a row of zeros.
  Matrix<Rational> a(3, 2);
  a(0, 0) = Rational(2, 3) * Rational(3, 5);
  a(0, 1) = Rational(1, 7) * Rational(-4, 5);
  a(1, 0) = Rational(2, 3) * Rational(4, 5);
  a(1, 1) = Rational(1, 7) * Rational(3, 5);
  for (const long e : {0L, 3000L, -3000L}) {
    Matrix<Rational> b = a;
    for (Rational& x : b.entries()) x *= Rational::power_of_two(e);
    const std::vector<Ball> s = fast_singular_values(b);
    REQUIRE(s.size() == 2);
    CHECK(s[0].contains(Rational(2, 3) * Rational::power_of_two(e)));
    CHECK(s[1].contains(Rational(1, 7) * Rational::power_of_two(e)));
    CHECK(s[0].has_relative_digits(12));
    CHECK(s[1].has_relative_digits(12));
  }
  for (const Ball& zero : fast_singular_values(Matrix<Rational>(2, 3)))
    CHECK(zero.contains(Rational(0)));
}

TEST_CASE("the squares of the singular values add up to the squared Frobenius norm") {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix<Rational> a =
        margin_test::random_doubles(random, 1 + random() % 8, 1 + random() % 8);
    Rational norm2;
    for (const Rational& x : a.entries()) norm2 += x * x;
    Ball sum;
    for (const Ball& s : fast_singular_values(a)) sum += square(s);
    CHECK(sum.contains(norm2));
    CHECK(sum.has_relative_digits(11));
  }
}
