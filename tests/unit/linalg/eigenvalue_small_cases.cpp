// SPDX-License-Identifier: Apache-2.0
// Zero, empty, 1 x 1, clusters at 0, norms far from 1, entries that are not finite.
#include <cmath>

#include "heed/linalg/dense_symmetric.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/linalg/named_matrices.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::balls;
using heed::test::encloses_largest;
using heed::test::encloses_least;
using heed::test::Random;
using heed::test::RationalMatrix;
using heed::test::rounds;
using heed::test::symmetric;

TEST_CASE("Eigenvalues of 1 x 1, zero and empty matrices") {
  Matrix<Ball> a(1, 1);
  a(0, 0) = Ball(Rational(-1, 3));
  CHECK(enclose_lambda_min(a, 30).contains(Rational(-1, 3)));
  CHECK(enclose_lambda_max(a, 30).contains(Rational(-1, 3)));
  CHECK(enclose_lambda_max(a, 30).has_relative_digits(30));
  CHECK(enclose_spectral_norm(a, 30).contains(Rational(1, 3)));
  const Matrix<Ball> zero(5, 5);
  CHECK(enclose_lambda_min(zero, 30).is_exact());
  CHECK(enclose_lambda_min(zero, 30).contains_zero());
  CHECK(enclose_lambda_max(zero, 30).is_exact());
  CHECK_THROWS_AS(enclose_lambda_min(Matrix<Ball>(), 10), std::invalid_argument);
  CHECK_THROWS_AS(enclose_lambda_max(Matrix<Ball>(), 10), std::invalid_argument);
}

TEST_CASE("An entry that is not finite gives no eigenvalue, at once") {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        Matrix<Ball> a = balls(heed::test::hilbert(4));
        a(i, j) = a(j, i) = Ball(bad);
        for (const heed::Extreme end : {heed::Extreme::smallest, heed::Extreme::largest}) {
          const auto e = enclose_extreme_eigenvalue(heed::DenseSymmetric(a), end, 10);
          CHECK_FALSE(e.value.is_finite());
          CHECK(e.factorizations == 0);
          CHECK_FALSE(certainly(less(e.value, Ball(1e300))));
          CHECK_FALSE(certainly(less(Ball(-1e300), e.value)));
        }
      }
}

TEST_CASE("Norms of 1e-18, 2^-1700 and 2^(10^6) lose no relative accuracy") {
  const RationalMatrix rosser = heed::test::rosser();
  const PrecisionScope scope(200);
  const Ball top = Ball(10) * sqrt(Ball(10405));
  for (const char* factor : {"1e-18", "1e-300", "1e300"}) {
    const Rational c = Rational::parse(factor);
    const RationalMatrix a = heed::test::scaled(rosser, c);
    const Ball least = enclose_lambda_min(balls(a), 20);
    CHECK(least.overlaps(-top * Ball(c)));
    CHECK(least.has_relative_digits(20));
  }
  for (const long e : {-1700L, -1'000'000L, 1700L, 1'000'000L}) {
    const Matrix<Ball> a = map(balls(rosser), [e](const Ball& x) { return ldexp(x, e); });
    const Ball least = enclose_lambda_min(a, 20), largest = enclose_lambda_max(a, 20);
    INFO(e);
    CHECK(least.overlaps(ldexp(-top, e)));
    CHECK(largest.overlaps(ldexp(top, e)));
    CHECK(least.has_relative_digits(20));
    CHECK(largest.has_relative_digits(20));
  }
}

TEST_CASE("Clusters at 0, and eigenvalues far below the norm, are enclosed") {
  Random random(111);
  for (int round = rounds(25); round > 0; --round) {
    // Q diag(d) Q^T with Q = I - 2 v v^T / v^T v, exactly.
    const auto n = static_cast<std::size_t>(random.integer(2, 8));
    const std::size_t large = static_cast<std::size_t>(random.integer(1, static_cast<long>(n) - 1));
    std::vector<Rational> d(n), v(n);
    const long small = random.integer(20, 90);
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = i < large ? Rational(random.integer(1, 9))
                       : Rational(random.integer(-9, 9)) * Rational::power_of_two(-small);
      v[i] = Rational(random.integer(-4, 4) * 2 + 1);
    }
    Rational vv;
    for (const Rational& x : v) vv += x * x;
    const auto q = [&](std::size_t i, std::size_t j) {
      return Rational(i == j ? 1 : 0) - Rational(2) * v[i] * v[j] / vv;
    };
    const RationalMatrix a = symmetric(n, [&](long i, long j) {
      Rational sum;
      for (std::size_t k = 0; k < n; ++k)
        sum += q(static_cast<std::size_t>(i), k) * d[k] * q(static_cast<std::size_t>(j), k);
      return sum;
    });
    const Rational exact = *std::min_element(d.begin(), d.end());
    for (const int bits : {40, 128, 400}) {
      const PrecisionScope scope(bits);
      const Ball least = enclose_lambda_min(balls(a), 15);
      const Ball largest = enclose_lambda_max(balls(a), 15);
      INFO("n = " << n << " at " << bits << " bits, cluster at 2^-" << small);
      if (!least.contains(exact)) FAIL("least");
      if (!largest.contains(*std::max_element(d.begin(), d.end()))) FAIL("largest");
      if (bits == 400 && exact.sign() != 0 && !least.has_relative_digits(15))
        FAIL("digits of the least");
      if (bits == 400 && exact.sign() == 0 && certainly(less(ldexp(Ball(1), -200), abs(least))))
        FAIL("an eigenvalue 0 is enclosed too widely");
      if (bits > 40 && !largest.has_relative_digits(15)) FAIL("digits of the largest");
    }
  }
}

TEST_CASE("Random matrices: exact counts confirm the enclosures at every precision") {
  Random random(112);
  for (int round = rounds(60); round > 0; --round) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    const auto n = static_cast<std::size_t>(random.integer(2, 6));
    const long kind = random.integer(0, 2);
    const RationalMatrix a = symmetric(n, [&](long, long) {
      return kind == 0 ? random.dyadic(6) : Rational(random.integer(-3, 3), kind);
    });
    const int digits = std::max(0, bits / 6);
    const Ball least = enclose_lambda_min(balls(a), digits),
               largest = enclose_lambda_max(balls(a), digits);
    INFO("n = " << n << " at " << bits << " bits");
    if (bits < 12 && !(least.is_finite() && largest.is_finite())) continue;
    if (!encloses_least(least, a)) FAIL("least");
    if (!encloses_largest(largest, a)) FAIL("largest");
    // Relative to the norm the digits are reached whatever the spectrum.
    const Ball norm = heed::symmetric_norm_bound(balls(a));
    const Ball allowed = ldexp(norm, 8 - bits / 2);
    if (bits > 20 && certainly(less(allowed, least.radius()))) FAIL("least is wide");
    if (bits > 20 && certainly(less(allowed, largest.radius()))) FAIL("largest is wide");
  }
}
