// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/block_saddle.hpp"

#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/extreme_eigenvalue.hpp"
#include "unit/linalg/random_saddle.hpp"
#include "unit/numeric/mpfr_reference.hpp"

using heed::Ball;
using heed::BlockSaddle;
using heed::DenseSymmetric;
using heed::Extreme;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::encloses_largest;
using heed::test::encloses_least;
using heed::test::exact_inertia;
using heed::test::Inertia;
using heed::test::Random;
using heed::test::random_saddle;
using heed::test::RationalSaddle;
using heed::test::rounds;

TEST_CASE("BlockSaddle: the matrix, its products and its norm") {
  Random random(141);
  for (int round = rounds(60); round > 0; --round) {
    const PrecisionScope scope(random.precision());
    const RationalSaddle exact = random_saddle(random, 3, 3, random.integer(0, 4));
    const BlockSaddle a = exact.balls();
    const Matrix<Ball> dense = a.dense();
    const Matrix<Rational> expected = exact.dense();
    REQUIRE(dense.rows() == expected.rows());
    REQUIRE(a.size() == expected.rows());
    for (std::size_t k = 0; k < dense.size(); ++k)
      if (!dense.data()[k].contains(expected.data()[k])) FAIL("entry " << k);
    std::vector<Ball> v(a.size());
    std::vector<Rational> w(a.size());
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = Ball(w[k] = random.dyadic(3));
    const std::vector<Ball> av = a.apply(v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      Rational sum;
      for (std::size_t k = 0; k < v.size(); ++k) sum += expected(i, k) * w[k];
      if (!av[i].contains(sum)) FAIL("product");
    }
    if (a.size() == 0) continue;
    // ||A|| <= b exactly when b - A and b + A have no negative eigenvalue.
    const Rational bound = heed::test::rational(a.norm_bound());
    if (exact_inertia(expected, bound).positive > 0 || exact_inertia(expected, -bound).negative > 0)
      FAIL("norm");
  }
}

TEST_CASE("BlockSaddle: the inertia of A - s I agrees with exact counts within the error") {
  Random random(142);
  int decided = 0;
  for (int round = rounds(60); round > 0; --round) {
    const PrecisionScope scope(random.precision());
    const RationalSaddle exact = random_saddle(random, 3, 3, random.integer(0, 4));
    const BlockSaddle a = exact.balls();
    const Matrix<Rational> dense = exact.dense();
    for (int shift = 0; shift < 4; ++shift) {
      Rational s = random.dyadic(4);
      if (s.sign() == 0) s = Rational(1, 4);
      if (random.chance(30)) s *= Rational::power_of_two(-random.integer(5, 60));
      const auto f = a.factor_shifted(Ball(s));
      if (!f->error.is_finite()) continue;
      const Rational e = heed::test::rational(f->error);
      const Inertia high = exact_inertia(dense, s + e), low = exact_inertia(dense, s - e);
      INFO("s = " << s.to_string() << ", negative " << f->negative << " of " << a.size());
      if (high.negative + high.zero < f->negative) FAIL("too many below s + error");
      if (low.positive + low.zero < a.size() - f->negative) FAIL("too many above s - error");
      decided += high.negative == low.negative + low.zero ? 1 : 0;
    }
  }
  CHECK(decided > 60);
}

TEST_CASE("BlockSaddle: s = 0 cannot be factored, and says so") {
  Random random(143);
  const BlockSaddle a = random_saddle(random, 2, 3, 2).balls();
  for (const Ball& s : {Ball(0), Ball::symmetric(Ball(1e-20)), Ball(1) / Ball(0)}) {
    const auto f = a.factor_shifted(s);
    CHECK_FALSE(f->error.is_finite());
    CHECK(f->approx_solve(std::vector<Ball>(a.size(), Ball(1))).empty());
  }
}

TEST_CASE("BlockSaddle: approx_solve solves") {
  Random random(144);
  for (int round = rounds(40); round > 0; --round) {
    const PrecisionScope scope(200);
    const BlockSaddle a = random_saddle(random, 3, 3, random.integer(0, 4)).balls();
    const Ball s(random.chance(50) ? -1.37 : 2.71);
    std::vector<Ball> b(a.size());
    for (Ball& x : b) x = Ball(random.uniform());
    const std::vector<Ball> x = a.factor_shifted(s)->approx_solve(b);
    REQUIRE(x.size() == a.size());
    const std::vector<Ball> ax = a.apply(x);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!certainly(less(abs(ax[k] - s * x[k] - b[k]), Ball(1e-30)))) FAIL("A x - s x = b");
  }
}

TEST_CASE("BlockSaddle: extremes agree with exact counts and with the dense matrix") {
  Random random(145);
  for (int round = rounds(60); round > 0; --round) {
    const int bits = static_cast<int>(random.integer(60, 260));
    const PrecisionScope scope(bits);
    const RationalSaddle exact = random_saddle(random, 3, 2, random.integer(0, 4));
    const BlockSaddle a = exact.balls();
    if (a.size() == 0) continue;
    const Matrix<Rational> dense = exact.dense();
    const int digits = bits / 10;
    const Ball least = enclose_extreme_eigenvalue(a, Extreme::smallest, digits).value;
    const Ball largest = enclose_extreme_eigenvalue(a, Extreme::largest, digits).value;
    INFO("size " << a.size() << ", rank " << a.rank() << " at " << bits << " bits");
    if (!encloses_least(least, dense)) FAIL("least");
    if (!encloses_largest(largest, dense)) FAIL("largest");
    if (!least.overlaps(enclose_lambda_min(a.dense(), digits))) FAIL("least, dense");
    if (!largest.overlaps(enclose_lambda_max(a.dense(), digits))) FAIL("largest, dense");
    const Ball allowed = ldexp(a.norm_bound(), 6 - 4 * bits / 10);
    const auto tight = [&](const Ball& x) {
      return x.has_relative_digits(digits) || certainly(less(x.radius(), allowed));
    };
    if (!tight(least) || !tight(largest)) FAIL("wide");
  }
}

TEST_CASE("BlockSaddle: the spectrum of [[0, M], [M^T, 0]] is symmetric") {
  const PrecisionScope scope(160);
  heed::SaddleBlock<Ball> block{Matrix<Ball>(3, 3), Matrix<Ball>(3, 3)};
  for (std::size_t k = 0; k < 3; ++k) block.M(k, 2 - k) = Ball(static_cast<long>(k) + 5);
  const BlockSaddle a({block, block}, Matrix<Ball>());
  const Ball least = enclose_extreme_eigenvalue(a, Extreme::smallest, 18).value;
  const Ball largest = enclose_extreme_eigenvalue(a, Extreme::largest, 18).value;
  CHECK(least.contains(Rational(-7)));
  CHECK(largest.contains(Rational(7)));
  CHECK(least.has_relative_digits(18));
  CHECK(largest.has_relative_digits(18));
}

TEST_CASE("BlockSaddle: interval blocks enclose the extremes of sampled members") {
  Random random(146);
  for (int round = rounds(25); round > 0; --round) {
    const RationalSaddle mid = random_saddle(random, 2, 2, random.integer(0, 3));
    const Ball radius = ldexp(Ball(1), -random.integer(4, 30));
    const auto widen = [&](const Matrix<Ball>& m) {
      return map(m, [&](const Ball& x) { return x + Ball::symmetric(radius); });
    };
    std::vector<heed::SaddleBlock<Ball>> blocks = mid.balls().blocks();
    for (auto& b : blocks) b = {widen(b.M), widen(b.K)};
    const BlockSaddle a(blocks, widen(map(mid.J, [](const Rational& q) { return Ball(q); })));
    if (a.size() == 0) continue;
    const Ball least = enclose_extreme_eigenvalue(a, Extreme::smallest, 15).value;
    const Ball largest = enclose_extreme_eigenvalue(a, Extreme::largest, 15).value;
    const Rational r = heed::test::rational(radius);
    for (int sample = 0; sample < 4; ++sample) {
      RationalSaddle member = mid;
      const auto move = [&](Rational& x) { x += random.chance(50) ? r : -r; };
      for (auto& b : member.blocks) {
        for (Rational& x : b.M.entries()) move(x);
        for (std::size_t i = 0; i < b.K.rows(); ++i)
          for (std::size_t j = 0; j <= i; ++j) {
            move(b.K(i, j));
            b.K(j, i) = b.K(i, j);
          }
      }
      for (Rational& x : member.J.entries()) move(x);
      const Matrix<Rational> dense = member.dense();
      const auto count = [&](const Ball& s) {
        return exact_inertia(dense, heed::test::rational(s));
      };
      if (count(least.lower()).negative > 0 || count(least.upper()).positive == dense.rows())
        FAIL("least");
      if (count(largest.upper()).positive > 0 || count(largest.lower()).negative == dense.rows())
        FAIL("largest");
    }
  }
}
