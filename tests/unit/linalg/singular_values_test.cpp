// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/singular_values.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "heed/linalg/detail/singular_triples.hpp"
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

TEST_CASE("singular values are enclosed whatever the triples are") {
  Matrix<Ball> a(2, 2), left(2, 2), right(2, 2);
  a(0, 0) = Ball(3);
  a(1, 1) = Ball(1);
  left(0, 0) = Ball(2);  // not of unit length: 2 (3/2) = 3
  left(1, 1) = right(0, 0) = right(1, 1) = Ball(1);
  const auto encloses = [&](const std::vector<Ball>& s) {
    return s.size() == 2 && s[0].contains(Rational(3)) && s[1].contains(Rational(1));
  };
  using heed::detail::enclose_singular_values;
  CHECK(encloses(enclose_singular_values(a, {left, right, {Ball(Rational(3, 2)), Ball(1)}})));
  CHECK(encloses(enclose_singular_values(a, {right, right, {Ball(2), Ball(2)}})));
  const auto one = [](Matrix<Ball> m) {
    Matrix<Ball> first(1, 2);
    std::copy_n(m.row(0), 2, first.row(0));
    return first;
  };
  const std::vector<Ball> largest = enclose_singular_values(a, {one(right), one(right), {Ball(3)}});
  CHECK(encloses(largest));
  CHECK(largest[1].contains(Rational(0)));  // left out, so that its size is only bounded
  CHECK(encloses(singular_values(a)));
  CHECK(singular_values(a)[1].has_relative_digits(30));
}
