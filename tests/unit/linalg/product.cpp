// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/product.hpp"

#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Matrix;
using heed::Rational;

namespace {

Matrix<Rational> random_matrix(heed::test::Random& random, std::size_t rows, std::size_t cols) {
  Matrix<Rational> a(rows, cols);
  for (Rational& x : a.entries()) x = random.dyadic(20) / Rational(random.integer(1, 9));
  return a;
}

Matrix<Rational> product(const Matrix<Rational>& a, const Matrix<Rational>& b) {
  Matrix<Rational> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.cols(); ++j)
      for (std::size_t k = 0; k < a.cols(); ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Matrix<Rational> transpose(const Matrix<Rational>& a) {
  Matrix<Rational> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

Matrix<Ball> balls(const Matrix<Rational>& a) {
  return map(a, [](const Rational& q) { return Ball(q); });
}

bool encloses(const Matrix<Ball>& a, const Matrix<Rational>& exact) {
  if (a.rows() != exact.rows() || a.cols() != exact.cols()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!a.data()[k].contains(exact.data()[k])) return false;
  return true;
}

}  // namespace

TEST_CASE("Products of matrices enclose the exact ones, in every shape") {
  heed::test::Random random(81);
  for (int round = heed::test::rounds(200); round > 0; --round) {
    const heed::PrecisionScope scope(random.precision());
    const auto m = static_cast<std::size_t>(random.integer(0, 5));
    const auto k = static_cast<std::size_t>(random.integer(0, 5));
    const auto n = static_cast<std::size_t>(random.integer(0, 5));
    const Matrix<Rational> a = random_matrix(random, m, k), b = random_matrix(random, k, n),
                           x = random_matrix(random, k, 1);
    const Matrix<Rational> ab = product(a, b);
    if (!encloses(multiply(balls(a), balls(b)), ab)) FAIL("A B");
    if (!encloses(multiply_transposed(balls(a), balls(transpose(b))), ab)) FAIL("A B^T");
    if (!encloses(transposed_multiply(balls(transpose(a)), balls(b)), ab)) FAIL("A^T B");
    const Matrix<Ball> gram = gram_of_columns(balls(a));
    if (!encloses(gram, product(transpose(a), a))) FAIL("A^T A");
    const std::vector<Ball> y = multiply(balls(a), balls(x).entries());
    const std::vector<Ball> z = transposed_multiply(balls(transpose(a)), balls(x).entries());
    const Matrix<Rational> ax = product(a, x);
    if (y.size() != m || z.size() != m) FAIL("size of A x");
    for (std::size_t i = 0; i < m; ++i)
      if (!y[i].contains(ax(i, 0)) || !z[i].contains(ax(i, 0))) FAIL("A x");
    Rational square;
    for (const Rational& q : a.entries()) square += q * q;
    if (!squared_norm(balls(a)).contains(square)) FAIL("||A||_F^2");
  }
}

TEST_CASE("Products in double") {
  Matrix<double> a(2, 3);
  for (std::size_t k = 0; k < 6; ++k) a.data()[k] = static_cast<double>(k) + 1;
  const Matrix<double> g = gram_of_columns(a), t = multiply_transposed(a, a);
  CHECK(g(0, 2) == 27);
  CHECK(g(2, 0) == 27);
  CHECK(t(0, 1) == 32);
  CHECK(multiply(a, std::vector<double>{1, 0, -1}) == std::vector<double>{-2, -2});
  CHECK(transposed_multiply(a, std::vector<double>{1, 1}) == std::vector<double>{5, 7, 9});
  CHECK(heed::dot(std::vector<double>{1, 2}, std::vector<double>{3, 4}) == 11);
}

TEST_CASE("Matrix: shape, rows, comparison and map") {
  Matrix<double> a(2, 3);
  a(1, 2) = 5;
  CHECK(a.rows() == 2);
  CHECK(a.cols() == 3);
  CHECK(a.size() == 6);
  CHECK(a.row(1)[2] == 5);
  CHECK(a(0, 0) == 0);
  Matrix<double> b = a;
  CHECK(a == b);
  b(0, 0) = 1;
  CHECK_FALSE(a == b);
  CHECK_FALSE(a == Matrix<double>(3, 2));
  CHECK(map(a, [](double x) { return 2 * x; })(1, 2) == 10);
  CHECK(Matrix<Ball>().size() == 0);
}
