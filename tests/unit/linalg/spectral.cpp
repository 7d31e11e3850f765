// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/spectral.hpp"

#include <cmath>

#include "unit/linalg/exact_inertia.hpp"
#include "unit/linalg/named_matrices.hpp"
#include "unit/linalg/random_saddle.hpp"

using heed::Ball;
using heed::Matrix;
using heed::Rational;
using heed::test::balls;
using heed::test::encloses_largest;
using heed::test::encloses_least;
using heed::test::Random;
using heed::test::RationalMatrix;
using heed::test::RationalSaddle;
using heed::test::rounds;

namespace {

Matrix<double> doubles(const RationalMatrix& a) {
  return map(a, [](const Rational& q) { return q.nearest_double(); });
}

}  // namespace

TEST_CASE("extremes and lambda_max by scalar: Ball encloses, double is near") {
  for (const RationalMatrix& a :
       {heed::test::rosser(), heed::test::wilkinson(4), heed::test::hadamard(2),
        heed::test::scaled(heed::test::rosser(), Rational::parse("1e-200"))}) {
    const auto e = extremes(balls(a));
    CHECK(encloses_least(e.least, a));
    CHECK(encloses_largest(e.largest, a));
    CHECK(e.largest.has_relative_digits(20));
    CHECK(e.norm().has_relative_digits(20));
    CHECK(encloses_largest(heed::lambda_max(balls(a)), a));
    const auto d = extremes(doubles(a));
    CHECK(certainly(less(abs(Ball(d.least) - e.least), e.norm() * Ball(1e-13))));
    CHECK(certainly(less(abs(Ball(d.largest) - e.largest), e.norm() * Ball(1e-13))));
    CHECK(heed::lambda_max(doubles(a)) == d.largest);
  }
}

TEST_CASE("extremes of 1 x 1 and zero matrices") {
  Matrix<Ball> one(1, 1);
  one(0, 0) = Ball(Rational(-1, 3));
  CHECK(extremes(one).least.contains(Rational(-1, 3)));
  CHECK(extremes(one).norm().contains(Rational(1, 3)));
  CHECK(extremes(Matrix<Ball>(3, 3)).norm().contains_zero());
  CHECK(extremes(Matrix<Ball>(3, 3)).norm().is_exact());
  CHECK(extremes(Matrix<double>(3, 3)).norm() == 0);
  Matrix<double> x(1, 1);
  x(0, 0) = -2;
  CHECK(extremes(x).least == -2);
  CHECK(extremes(x).norm() == 2);
}

TEST_CASE("extremes in double do not take NaN or infinity for a number") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Matrix<double> a(2, 2);
    a(0, 0) = 1;
    a(1, 1) = bad;
    CHECK_FALSE(std::isfinite(extremes(a).largest));
    CHECK_FALSE(std::isfinite(heed::lambda_max(a)));
  }
}

TEST_CASE("extremes of block saddles: small ones, and above the dense limit") {
  Random random(161);
  for (int round = rounds(20); round > 0; --round) {
    const RationalSaddle a = heed::test::random_saddle(random, 3, 3, random.integer(0, 3));
    if (a.dense().rows() == 0) continue;
    const auto e = extremes(a.balls().blocks(), balls(a.J));
    if (!encloses_least(e.least, a.dense())) FAIL("least");
    if (!encloses_largest(e.largest, a.dense())) FAIL("largest");
  }
  std::vector<heed::SaddleBlock<Ball>> blocks;
  std::vector<heed::SaddleBlock<double>> approximate;
  for (int h = 0; h < 3; ++h) {
    heed::SaddleBlock<double> b{Matrix<double>(12, 9), Matrix<double>(9, 9)};
    for (double& x : b.M.entries()) x = random.uniform();
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t j = 0; j <= i; ++j) b.K(i, j) = b.K(j, i) = random.uniform();
    approximate.push_back(b);
    const auto exact = [](const Matrix<double>& m) {
      return map(m, [](double x) { return Ball(x); });
    };
    blocks.push_back({exact(b.M), exact(b.K)});
  }
  const auto e = extremes(blocks, Matrix<Ball>(0, 63));
  const auto d = extremes(approximate, Matrix<double>(0, 63));
  CHECK(e.least.has_relative_digits(14));
  CHECK(e.largest.has_relative_digits(14));
  CHECK(certainly(less(abs(Ball(d.least) - e.least), Ball(1e-12))));
  CHECK(certainly(less(abs(Ball(d.largest) - e.largest), Ball(1e-12))));
}
