// SPDX-License-Identifier: Apache-2.0
// Matrices with radii: the enclosure holds the eigenvalue of every member.
#include <Eigen/Eigenvalues>

#include "heed/linalg/dense_symmetric.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::exact_inertia;
using heed::test::point_of;
using heed::test::Random;
using heed::test::rounds;

TEST_CASE("The enclosure of an interval matrix contains the extremes of its members") {
  Random random(121);
  for (int round = rounds(60); round > 0; --round) {
    const PrecisionScope scope(static_cast<int>(random.integer(30, 200)));
    const auto n = static_cast<std::size_t>(random.integer(2, 6));
    const Ball radius = ldexp(Ball(1), -random.integer(0, 40));
    Matrix<Ball> a(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        a(i, j) = a(j, i) =
            Ball(random.uniform()) +
            Ball::symmetric(random.chance(30) ? Ball(0) : radius * Ball(random.uniform()));
    const Ball least = enclose_lambda_min(a, 10), largest = enclose_lambda_max(a, 10);
    for (int member = 0; member < 6; ++member) {
      // Corners move the eigenvalues most.
      Matrix<Rational> m(n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          const long at = member == 0         ? 8
                          : member == 1       ? -8
                          : random.chance(60) ? 8 - 16 * random.integer(0, 1)
                                              : random.integer(-7, 7);
          m(i, j) = m(j, i) = heed::test::rational(point_of(a(i, j), at));
        }
      const auto below = exact_inertia(m, heed::test::rational(least.lower()));
      const auto reach = exact_inertia(m, heed::test::rational(least.upper()));
      if (below.negative > 0 || reach.negative + reach.zero == 0)
        FAIL("least of a member, n = " << n);
      const auto above = exact_inertia(m, heed::test::rational(largest.upper()));
      const auto under = exact_inertia(m, heed::test::rational(largest.lower()));
      if (above.positive > 0 || under.positive + under.zero == 0)
        FAIL("largest of a member, n = " << n);
    }
    // Not wider than the members' spread allows: the norm of the radii and a rounding.
    Matrix<Ball> radii(n, n);
    for (std::size_t k = 0; k < a.size(); ++k) radii.data()[k] = a.data()[k].radius();
    const Ball allowed = ldexp(heed::symmetric_norm_bound(radii), 3) + Ball(1e-4);
    if (!certainly(less(least.radius(), allowed)) || !certainly(less(largest.radius(), allowed)))
      FAIL("wide");
  }
}

TEST_CASE("The enclosure of an interval matrix agrees with Eigen on sampled members") {
  Random random(122);
  for (int round = rounds(40); round > 0; --round) {
    const auto n = static_cast<Eigen::Index>(random.integer(2, 20));
    const double radius = std::ldexp(1.0, static_cast<int>(-random.integer(3, 30)));
    Eigen::MatrixXd mid(n, n), member(n, n);
    Matrix<Ball> a(static_cast<std::size_t>(n), static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) {
        mid(i, j) = mid(j, i) = random.uniform();
        a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) =
            Ball(mid(i, j)) + Ball::symmetric(Ball(radius));
      }
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
    const Ball least = enclose_lambda_min(a, 12), largest = enclose_lambda_max(a, 12);
    for (int sample = 0; sample < 5; ++sample) {
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j <= i; ++j)
          member(i, j) = member(j, i) = mid(i, j) + (random.chance(50) ? radius : -radius);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(member);
      const Ball slack = Ball::symmetric(Ball(1e-12));
      if (!least.overlaps(Ball(solver.eigenvalues()[0]) + slack)) FAIL("least, n = " << n);
      if (!largest.overlaps(Ball(solver.eigenvalues()[n - 1]) + slack)) FAIL("largest, n = " << n);
    }
  }
}

TEST_CASE("A matrix of wide balls gives a wide but valid enclosure") {
  Matrix<Ball> a(3, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) a(i, j) = Ball(i == j ? 1 : 0) + Ball::symmetric(Ball(10));
  const Ball least = enclose_lambda_min(a, 15), largest = enclose_lambda_max(a, 15);
  // Members: all entries -10 (least -30 + 1), identity, all entries 10 (largest 30 + 1).
  CHECK(least.contains(Rational(-29)));
  CHECK(least.contains(Rational(1)));
  CHECK(largest.contains(Rational(31)));
  CHECK(largest.contains(Rational(1)));
  CHECK(certainly(less(abs(least), Ball(200))));
  CHECK(certainly(less(abs(largest), Ball(200))));
}

TEST_CASE("Wide entries end the search after a few factorisations") {
  Random random(123);
  for (const double radius : {1e-30, 1e-20, 1e-10, 1e-3, 1.0, 1e10}) {
    Matrix<Ball> a(12, 12);
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        a(i, j) = a(j, i) = Ball(random.uniform()) + Ball::symmetric(Ball(radius));
    for (const heed::Extreme end : {heed::Extreme::smallest, heed::Extreme::largest}) {
      const auto e = enclose_extreme_eigenvalue(heed::DenseSymmetric(a), end, 30);
      INFO(radius);
      CHECK(e.factorizations <= 6);
      CHECK(certainly(less(e.value.radius(), Ball(48 * radius) + Ball(1e-25))));
    }
  }
}
