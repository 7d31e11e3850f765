// SPDX-License-Identifier: Apache-2.0
// Size 2000: the candidate comes from Lanczos, the matrix is never formed.
#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/extreme_eigenvalue.hpp"
#include "heed/linalg/product.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::BlockSaddle;
using heed::Extreme;
using heed::Matrix;
using heed::SaddleBlock;
using heed::test::Random;

namespace {

Matrix<Ball> random_matrix(Random& random, std::size_t rows, std::size_t cols, double scale) {
  Matrix<Ball> a(rows, cols);
  for (Ball& x : a.entries()) x = Ball(scale * random.uniform());
  return a;
}

std::vector<SaddleBlock<Ball>> blocks(Random& random, std::size_t heads, std::size_t u,
                                      std::size_t w, double scale) {
  std::vector<SaddleBlock<Ball>> list;
  for (std::size_t h = 0; h < heads; ++h) {
    SaddleBlock<Ball> b{random_matrix(random, u, w, scale), random_matrix(random, w, w, scale)};
    for (std::size_t i = 0; i < w; ++i)
      for (std::size_t j = 0; j < i; ++j) b.K(j, i) = b.K(i, j);
    list.push_back(std::move(b));
  }
  return list;
}

}  // namespace

TEST_CASE("BlockSaddle of size 2000 and rank 64 with vanishing blocks: lambda_min is 0") {
  Random random(151);
  const Matrix<Ball> J = random_matrix(random, 64, 2000, 1);
  const BlockSaddle a(blocks(random, 50, 24, 16, 0), J);
  REQUIRE(a.size() == 2000);
  const auto least = enclose_extreme_eigenvalue(a, Extreme::smallest, 15);
  const auto largest = enclose_extreme_eigenvalue(a, Extreme::largest, 15);
  CHECK(least.value.contains_zero());
  CHECK(certainly(less(least.value.radius(), a.norm_bound() * Ball(1e-12))));
  CHECK(largest.value.has_relative_digits(15));
  // J^T J and J J^T have the same nonzero eigenvalues.
  CHECK(largest.value.overlaps(enclose_lambda_max(multiply_transposed(J, J), 15)));
  CHECK(least.factorizations <= 8);
  CHECK(largest.factorizations <= 8);
}

TEST_CASE("BlockSaddle of size 2000 with tiny blocks: the sign of lambda_min is found") {
  Random random(152);
  const heed::PrecisionScope scope(200);
  const BlockSaddle a(blocks(random, 50, 24, 16, 1e-9), random_matrix(random, 10, 2000, 1));
  const auto least = enclose_extreme_eigenvalue(a, Extreme::smallest, 6);
  CHECK(certainly(negative(least.value)));
  CHECK(least.value.has_relative_digits(6));
  CHECK(certainly(less(abs(least.value), Ball(1e-7))));
  CHECK(least.factorizations <= 12);
}

TEST_CASE("BlockSaddle of size 300: Lanczos candidates and the dense route agree") {
  Random random(153);
  const BlockSaddle a(blocks(random, 10, 14, 16, 1), random_matrix(random, 5, 300, 0.1));
  for (const Extreme end : {Extreme::smallest, Extreme::largest}) {
    const auto e = enclose_extreme_eigenvalue(a, end, 14);
    CHECK(e.value.has_relative_digits(14));
    CHECK(e.factorizations <= 5);
    // One inertia count of the dense matrix on either side of the enclosure.
    const heed::DenseSymmetric dense(a.dense());
    const Ball width = abs(e.value) * Ball(1e-12);
    const auto below = dense.factor_shifted((e.value - width).midpoint());
    const auto above = dense.factor_shifted((e.value + width).midpoint());
    REQUIRE(certainly(less(below->error, width)));
    REQUIRE(certainly(less(above->error, width)));
    CHECK(below->negative == (end == Extreme::smallest ? 0 : a.size() - 1));
    CHECK(above->negative == (end == Extreme::smallest ? 1 : a.size()));
  }
}
