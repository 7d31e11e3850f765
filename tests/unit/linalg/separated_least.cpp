// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/separated_least.hpp"

#include "unit/linalg/random_saddle.hpp"
#include "unit/numeric/mpfr_reference.hpp"

using heed::Ball;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::SaddleBlock;
using heed::separated_least_eigenvalue;
using heed::test::exact_inertia;
using heed::test::Random;
using heed::test::random_saddle;
using heed::test::RationalSaddle;
using heed::test::rounds;

namespace {

std::vector<SaddleBlock<Ball>> ball_blocks(const RationalSaddle& a) {
  std::vector<SaddleBlock<Ball>> list;
  for (const auto& b : a.blocks) list.push_back({heed::test::balls(b.M), heed::test::balls(b.K)});
  return list;
}

// Scales some rows of J by 2^exponent.
void enlarge(RationalSaddle& a, Random& random, long exponent) {
  for (std::size_t i = 0; i < a.J.rows(); ++i)
    if (i == 0 || random.chance(50))
      for (std::size_t k = 0; k < a.J.cols(); ++k) a.J(i, k) *= Rational::power_of_two(exponent);
}

}  // namespace

TEST_CASE("separated least eigenvalue: bounds by exact inertia, and narrow") {
  Random random(171);
  int both = 0, narrow = 0, total = 0;
  for (int round = rounds(60); round > 0; --round) {
    const PrecisionScope scope(160);
    RationalSaddle exact = random_saddle(random, 3, 3, random.integer(1, 3));
    enlarge(exact, random, random.integer(50, 900));
    const Matrix<Rational> a = exact.dense();
    for (const bool dense : {false, true}) {
      const auto b =
          separated_least_eigenvalue(ball_blocks(exact), heed::test::balls(exact.J), dense);
      ++total;
      if (b.lower && exact_inertia(a, heed::test::rational(*b.lower)).negative > 0)
        FAIL("an eigenvalue below the lower bound");
      if (b.upper) {
        const auto at = exact_inertia(a, heed::test::rational(*b.upper));
        if (at.negative + at.zero == 0) FAIL("no eigenvalue at or below the upper bound");
      }
      if (!b.lower || !b.upper) continue;
      ++both;
      // The entries of the blocks are below 10; 2^-30 is far below what a view of A as a whole gives.
      if (certainly(less(*b.upper - *b.lower, Ball(Rational::power_of_two(-30))))) ++narrow;
    }
  }
  INFO(total << " in all, " << both << " with both bounds, " << narrow << " narrow");
  CHECK(10 * both >= 5 * total);
  CHECK(10 * narrow >= 9 * both);
}

TEST_CASE(
    "separated least eigenvalue: none where no row is large or the large rows are dependent") {
  RationalSaddle a;
  a.blocks.push_back({Matrix<Rational>(1, 1), Matrix<Rational>(1, 1)});
  a.blocks[0].M(0, 0) = Rational(1);
  a.J = Matrix<Rational>(2, 2);
  a.J(0, 0) = a.J(1, 0) = Rational(1);
  const PrecisionScope scope(128);
  CHECK_FALSE(separated_least_eigenvalue(ball_blocks(a), heed::test::balls(a.J), true).lower);
  a.J(0, 0) = a.J(1, 0) = Rational::power_of_two(300);
  const auto b = separated_least_eigenvalue(ball_blocks(a), heed::test::balls(a.J), true);
  CHECK(b.lower);
  CHECK_FALSE(b.upper);
}
