// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/ldlt.hpp"
#include "heed/linalg/product.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/linalg/named_matrices.hpp"
#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Ldlt;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::balls;
using heed::test::exact_inertia;
using heed::test::Inertia;
using heed::test::point_of;
using heed::test::Random;
using heed::test::RationalMatrix;
using heed::test::rounds;
using heed::test::symmetric;

namespace {

/// Random, saddle [[0, B], [B^T, C]], semidefinite of low rank, or with equal entries.
RationalMatrix test_matrix(Random& random, std::size_t n) {
  const long kind = random.integer(0, 3), half = static_cast<long>(n) / 2;
  if (kind == 2) {
    Matrix<Rational> b(std::max<std::size_t>(n / 2, 1), n);
    for (Rational& x : b.entries()) x = Rational(random.integer(-9, 9), 4);
    return symmetric(n, [&](long i, long j) {
      Rational sum;
      for (std::size_t k = 0; k < b.rows(); ++k)
        sum += b(k, static_cast<std::size_t>(i)) * b(k, static_cast<std::size_t>(j));
      return sum;
    });
  }
  return symmetric(n, [&](long i, long j) {
    if (kind == 1 && i < half) return Rational(0);
    if (kind == 3) return Rational(random.integer(-1, 1));
    (void)j;
    return random.dyadic(8);
  });
}

/// P^T L D L^T P without access to its parts: A - residual(A) encloses it for every A.
Matrix<Ball> factored(const Ldlt<Ball>& f) { return f.residual(Matrix<Ball>(f.size(), f.size())); }

}  // namespace

TEST_CASE("Ldlt<Ball>: the factorisation plus its residual encloses the matrix") {
  Random random(101);
  for (int round = rounds(150); round > 0; --round) {
    const int bits = random.precision();
    const auto n = static_cast<std::size_t>(random.integer(1, 8));
    const RationalMatrix a = test_matrix(random, n);
    Matrix<Ball> low;
    std::vector<Ldlt<Ball>> f;
    {
      const PrecisionScope scope(bits);
      f.emplace_back(balls(a));
      low = f[0].residual(balls(a));
    }
    // The same factors multiplied out at a precision where that is exact to 5000 bits.
    const PrecisionScope scope(5000);
    const Matrix<Ball> product = factored(f[0]);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const Ball exact = Ball(a(i, j)) + product(i, j);  // factored() carries the sign of -A
        if (!low(i, j).overlaps(exact)) FAIL("n = " << n << " at " << bits << " bits");
      }
  }
}

TEST_CASE("Ldlt<Ball>: matrix minus residual is what solve inverts") {
  Random random(107);
  for (int round = rounds(100); round > 0; --round) {
    const auto n = static_cast<std::size_t>(random.integer(1, 7));
    const RationalMatrix a = test_matrix(random, n);
    const PrecisionScope scope(static_cast<int>(random.integer(20, 300)));
    const Ldlt<Ball> f(balls(a));
    if (f.zero() > 0) continue;
    Matrix<Ball> product = f.residual(balls(a));
    for (std::size_t k = 0; k < product.size(); ++k)
      product.data()[k] = Ball(a.data()[k]) - product.data()[k];
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<Ball> unit(n);
      unit[j] = Ball(1);
      std::vector<Ball> x;
      {
        const PrecisionScope high(2000);
        x = f.solve(unit);
      }
      const std::vector<Ball> y = multiply(product, x);
      for (std::size_t i = 0; i < n; ++i)
        if (!y[i].contains(Rational(i == j ? 1 : 0))) FAIL("n = " << n);
    }
  }
}

TEST_CASE("Ldlt<Ball>: the residual is small") {
  Random random(102);
  for (int round = rounds(150); round > 0; --round) {
    const int bits = static_cast<int>(random.integer(30, 300));
    const PrecisionScope scope(bits);
    const auto n = static_cast<std::size_t>(random.integer(1, 10));
    const Matrix<Ball> a = balls(test_matrix(random, n));
    const Ball bound = symmetric_norm_bound(Ldlt<Ball>(a).residual(a));
    const Ball allowed = ldexp(heed::symmetric_norm_bound(a), 12 - bits);
    if (!certainly(less_equal(bound, allowed))) FAIL("n = " << n << " at " << bits << " bits");
  }
}

TEST_CASE("Ldlt<Ball>: the inertia is exact where the residual allows") {
  Random random(103);
  int decided = 0;
  for (int round = rounds(200); round > 0; --round) {
    const PrecisionScope scope(random.precision());
    const auto n = static_cast<std::size_t>(random.integer(1, 7));
    const RationalMatrix a = test_matrix(random, n);
    const Ldlt<Ball> f(balls(a));
    const Ball error = symmetric_norm_bound(f.residual(balls(a)));
    if (!error.is_finite()) continue;
    // Weyl: at least `negative` eigenvalues <= error, at least `positive` ones >= -error.
    const Rational e = heed::test::rational(error.upper());
    const Inertia above = exact_inertia(a, e), below = exact_inertia(a, -e);
    if (above.negative + above.zero < f.negative()) FAIL("negative");
    if (below.positive + below.zero < f.positive()) FAIL("positive");
    if (above.positive == below.positive + below.zero) {
      ++decided;
      if (f.positive() != above.positive) FAIL("inertia");
    }
  }
  CHECK(decided > 50);
}

TEST_CASE("Ldlt<Ball>: the residual covers every member of an interval matrix") {
  Random random(104);
  for (int round = rounds(60); round > 0; --round) {
    const PrecisionScope scope(random.precision());
    const auto n = static_cast<std::size_t>(random.integer(2, 6));
    Matrix<Ball> a(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) a(i, j) = a(j, i) = random.ball(4);
    const Ldlt<Ball> f(a);
    const Matrix<Ball> e = f.residual(a);
    const PrecisionScope exact(4000);
    const Matrix<Ball> product = factored(f);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (const long at : {-8L, 3L, 8L})
          if (!e(i, j).overlaps(point_of(a(i, j), at) + product(i, j))) FAIL("a member is missed");
  }
}

TEST_CASE("Ldlt<Ball>: solve, forward and the pivots agree") {
  Random random(105);
  for (int round = rounds(60); round > 0; --round) {
    const PrecisionScope scope(200);
    const auto n = static_cast<std::size_t>(random.integer(1, 8));
    const RationalMatrix a = test_matrix(random, n);
    if (exact_inertia(a, Rational(0)).zero > 0) continue;
    const Ldlt<Ball> f(balls(a));
    std::vector<Ball> b(n);
    for (Ball& x : b) x = random.point(3);
    const std::vector<Ball> x = f.solve(b), y = f.forward(b), z = f.divide_by_pivots(y);
    // b^T A^-1 b two ways; A x = b.
    if (!dot(b, x).overlaps(dot(y, z))) FAIL("quadratic form");
    const std::vector<Ball> ax = multiply(balls(a), x);
    for (std::size_t k = 0; k < n; ++k) {
      if (certainly(less(Ball(1e-30), abs(ax[k] - b[k])))) FAIL("A x = b");
      if (!x[k].is_finite()) FAIL("x is not finite");
    }
  }
}

TEST_CASE("Ldlt<Ball> never loses its footing at a few bits") {
  Random random(106);
  for (int bits = 2; bits <= 12; ++bits) {
    const PrecisionScope scope(bits);
    for (int round = rounds(100); round > 0; --round) {
      const auto n = static_cast<std::size_t>(random.integer(2, 7));
      RationalMatrix a = symmetric(n, [&](long i, long j) {
        return Rational(random.integer(-1000, 1000), i == j ? 10000 : 1000);
      });
      const Ldlt<Ball> f(balls(a));
      if (f.negative() + f.zero() + f.positive() != n) FAIL("counts");
    }
  }
}
