// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/token_span.hpp"

#include <catch2/catch.hpp>

#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::TokenSpan;
using heed::test::Random;

namespace {

Matrix<Rational> random_matrix(Random& random, std::size_t rows, std::size_t cols, long size) {
  Matrix<Rational> m(rows, cols);
  for (Rational& x : m.entries())
    x = Rational(random.integer(-size, size), random.integer(1, size));
  return m;
}

}  // namespace

TEST_CASE("The rank of tokens is that of a product of full-rank factors") {
  Random random(71);
  for (std::size_t d : {1u, 2u, 5u, 9u})
    for (std::size_t r = 0; r <= d; ++r) {
      // Rows C_i B with B = (I, *) of rank r; the first sample holds C = I.
      Matrix<Rational> b = random_matrix(random, r, d, 9);
      for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = 0; j < r; ++j) b(i, j) = Rational(i == j ? 1 : 0);
      std::vector<Matrix<Rational>> X{heed::multiply(random_matrix(random, 3, r, 5), b)};
      if (r > 0) X.push_back(b);
      X.push_back(heed::multiply(random_matrix(random, 4, r, 5), b));
      const TokenSpan span = heed::token_span(X);
      INFO("d = " << d << ", r = " << r);
      CHECK(span.dim == d);
      CHECK(span.rank() == r);
      const auto basis = heed::token_basis(X, span);
      REQUIRE(basis.has_value() == (r > 0 && r < d));
      if (!basis) continue;
      const Matrix<Ball> gram = heed::multiply_transposed(*basis, *basis);
      for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = 0; j < r; ++j) {
          CHECK(gram(i, j).contains(Rational(i == j ? 1 : 0)));
          CHECK(certainly(less_equal(gram(i, j).radius(), Ball(0x1p-120))));
        }
      // x Q Q^T = x for every token.
      for (const Matrix<Rational>& x : X) {
        const Matrix<Ball> balls = heed::map(x, [](const Rational& q) { return Ball(q); });
        const Matrix<Ball> again = heed::multiply(heed::multiply_transposed(balls, *basis), *basis);
        for (std::size_t k = 0; k < x.size(); ++k) CHECK(again.data()[k].contains(x.data()[k]));
      }
    }
}

TEST_CASE("Nearly dependent tokens count as independent") {
  Matrix<Rational> x(2, 3);
  for (std::size_t c = 0; c < 3; ++c) x(0, c) = x(1, c) = Rational(static_cast<long>(c) + 1, 3);
  CHECK(heed::token_span({x}).rank() == 1);
  x(1, 2) += Rational::power_of_two(-400);
  const TokenSpan span = heed::token_span({x});
  REQUIRE(span.rank() == 2);
  const auto basis = heed::token_basis({x}, span);  // takes more bits than are asked for
  REQUIRE(basis);
  CHECK(heed::dot(3, basis->row(0), 1, basis->row(1), 1).contains_zero());
  x(1, 2) += Rational::power_of_two(-20'000) - Rational::power_of_two(-400);
  const TokenSpan closer = heed::token_span({x});
  CHECK(closer.rank() == 2);
  CHECK_FALSE(heed::token_basis({x}, closer));
}

TEST_CASE("The basis is as narrow as the working precision asks") {
  Matrix<Rational> x(1, 2);
  x(0, 0) = Rational(1, 3);
  x(0, 1) = Rational(1, 7);
  for (int bits : {24, 53, 300, 2000}) {
    const PrecisionScope scope(bits);
    const auto basis = heed::token_basis({x}, heed::token_span({x}));
    REQUIRE(basis);
    for (const Ball& q : basis->entries())
      CHECK(certainly(less_equal(q.radius(), ldexp(Ball(1), -bits - 16))));
  }
}

TEST_CASE("Tokens that are all zero span nothing") {
  const TokenSpan span = heed::token_span({Matrix<Rational>(2, 3)});
  CHECK(span.rank() == 0);
  CHECK_FALSE(heed::token_basis({Matrix<Rational>(2, 3)}, span));
  CHECK(heed::token_span({}).rank() == 0);
}
