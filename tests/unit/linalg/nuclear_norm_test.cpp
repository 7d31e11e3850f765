// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "heed/linalg/nuclear_norm.hpp"
#include "heed/numeric/rational.hpp"

using namespace heed;

namespace {

Matrix<Ball> random_matrix(std::size_t p, std::size_t q, std::mt19937& rng) {
  Matrix<Ball> a(p, q);
  for (Ball& x : a.entries()) x = Ball(static_cast<int>(rng() % 2001) - 1000) / Ball(64);
  return a;
}

Matrix<Ball> outer(const Matrix<Ball>& b, const Matrix<Ball>& c) {
  Matrix<Ball> w(b.rows(), c.rows());
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < c.rows(); ++j) w(i, j) = dot(b.cols(), b.row(i), 1, c.row(j), 1);
  return w;
}

}  // namespace

TEST_CASE("nuclear norm: diagonal, rank one, zero and empty matrices, known exactly") {
  for (const int bits : {64, 128, 400}) {
    const PrecisionScope scope(bits);
    Matrix<Ball> diagonal(3, 4);
    diagonal(0, 1) = Ball(-3);
    diagonal(1, 0) = Ball(4);
    diagonal(2, 3) =
        ldexp(Ball(1), -200);  // relative to 7 it is lost at 128 bits, not in the enclosure
    const Ball expected = Ball(7) + ldexp(Ball(1), -200);
    const Ball norm = nuclear_norm(diagonal);
    CHECK(norm.overlaps(expected));
    CHECK(norm.has_relative_digits(bits * 3 / 10 - 6));

    Matrix<Ball> b(5, 1), c(2, 1);
    for (std::size_t i = 0; i < 5; ++i) b(i, 0) = Ball(static_cast<int>(i) - 2);
    c(0, 0) = Ball(3);
    c(1, 0) = Ball(4);
    const Ball rank_one = nuclear_norm(outer(b, c));
    const Ball exact = sqrt(Ball(10)) * Ball(5);
    CHECK(rank_one.overlaps(exact));
    CHECK(rank_one.has_relative_digits(bits * 3 / 10 - 6));

    CHECK(nuclear_norm(Matrix<Ball>(3, 3)).contains(Rational(0)));
    CHECK(nuclear_norm(Matrix<Ball>(3, 3)).is_exact());
    CHECK(nuclear_norm(Matrix<Ball>()).is_exact());
  }
}

TEST_CASE("nuclear norm: two by two against sqrt(||A||_F^2 + 2 |det A|), transposition, radii") {
  std::mt19937 rng(7);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const PrecisionScope scope(96 + static_cast<int>(rng() % 200));
    const Matrix<Ball> a = random_matrix(2, 2, rng);
    const Ball frobenius2 = dot(4, a.data(), 1, a.data(), 1);
    const Ball det = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
    const Ball norm = nuclear_norm(a);
    CHECK(norm.overlaps(sqrt(frobenius2 + Ball(2) * abs(det))));
    CHECK(norm.has_relative_digits(20));

    const Matrix<Ball> wide = random_matrix(3, 6, rng);
    Matrix<Ball> tall(6, 3), blurred = wide;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 6; ++j) tall(j, i) = wide(i, j);
    CHECK(nuclear_norm(wide).overlaps(nuclear_norm(tall)));
    for (Ball& x : blurred.entries()) x += Ball::symmetric(Ball(0.125));
    CHECK(nuclear_norm(blurred).contains(nuclear_norm(wide)));
  }
}

TEST_CASE("nuclear norm: positive semidefinite matrices have their trace") {
  std::mt19937 rng(11);
  for (const std::size_t rank : {1u, 3u, 6u}) {
    const Matrix<Ball> b = random_matrix(6, rank, rng);
    const Matrix<Ball> a = outer(b, b);
    Ball trace(0);
    for (std::size_t i = 0; i < 6; ++i) trace += a(i, i);
    const Ball norm = nuclear_norm(a);
    CHECK(norm.overlaps(trace));
    CHECK(norm.has_relative_digits(25));
  }
}
