// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>
#include <cmath>

#include "heed/linalg/ldlt.hpp"
#include "heed/linalg/product.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ldlt;
using heed::Matrix;
using heed::test::Random;

namespace {

double norm(const Matrix<double>& a) { return std::sqrt(squared_norm(a)); }

Matrix<double> random_symmetric(Random& random, std::size_t n) {
  Matrix<double> a(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) a(i, j) = a(j, i) = random.uniform();
  return a;
}

/// [[0, B], [B^T, 0]], [[0, B], [B^T, C]], definite, low rank, or small diagonals.
Matrix<double> test_matrix(Random& random, std::size_t n, long kind) {
  Matrix<double> a = random_symmetric(random, n);
  const std::size_t half = n / 2;
  if (kind == 1 || kind == 2)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if ((i < half && j < half) || (kind == 1 && i >= half && j >= half)) a(i, j) = 0;
  if (kind == 3) a = gram_of_columns(a);
  if (kind == 4) {
    a = gram_of_columns(a);
    for (double& x : a.entries()) x = -x;
  }
  if (kind == 5)
    for (std::size_t i = 0; i < n; ++i) a(i, i) *= 1e-9;
  return a;
}

std::vector<double> eigenvalues(const Matrix<double>& a) {
  const auto n = static_cast<Eigen::Index>(a.rows());
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> m(a.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
  return {solver.eigenvalues().data(), solver.eigenvalues().data() + n};
}

}  // namespace

TEST_CASE("Ldlt<double> is backward stable and has the inertia of the matrix") {
  Random random(91);
  for (int round = heed::test::rounds(300); round > 0; --round) {
    const auto n = static_cast<std::size_t>(random.integer(1, 25));
    const Matrix<double> a = test_matrix(random, n, random.integer(0, 5));
    const Ldlt<double> f(a);
    const double size = norm(a);
    INFO("n = " << n << ", norm " << size);
    if (!(norm(f.residual(a)) <= 1e-13 * static_cast<double>(n) * size)) FAIL("residual");
    std::size_t negative = 0, positive = 0;
    for (const double x : eigenvalues(a)) {
      negative += x < -1e-12 * size ? 1 : 0;
      positive += x > 1e-12 * size ? 1 : 0;
    }
    if (f.negative() < negative || f.positive() < positive) FAIL("inertia");
    if (f.negative() + f.zero() + f.positive() != n) FAIL("the counts do not add up");
    if (negative + positive < n) continue;
    std::vector<double> x(n);
    for (double& t : x) t = random.uniform();
    const std::vector<double> y = multiply(a, f.solve(x));
    double smallest = size;
    for (const double t : eigenvalues(a)) smallest = std::min(smallest, std::fabs(t));
    for (std::size_t k = 0; k < n; ++k)
      if (!(std::fabs(y[k] - x[k]) <= 1e-12 * static_cast<double>(n) * size / smallest))
        FAIL("solve");
  }
}

TEST_CASE("Ldlt<double> reads the lower triangle only") {
  Random random(92);
  Matrix<double> a = random_symmetric(random, 7), b = a;
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = i + 1; j < 7; ++j) b(i, j) = std::nan("");
  const Ldlt<double> f(a), g(b);
  CHECK(f.negative() == g.negative());
  CHECK(f.residual(a) == g.residual(b));
}

TEST_CASE("Ldlt<double>: pivots far from 1 neither overflow nor underflow") {
  for (const double scale : {1e-300, 1e-200, 1e-160, 1.0, 1e160, 1e200, 1e300}) {
    Matrix<double> a(3, 3);
    a(1, 0) = a(0, 1) = scale;
    a(2, 0) = a(0, 2) = 0.5 * scale;
    a(0, 0) = 0.01 * scale;
    a(2, 2) = 0.25 * scale;
    const Ldlt<double> f(a);
    INFO(scale);
    CHECK(f.negative() == 1);
    CHECK(f.positive() == 2);
    const Matrix<double> e = f.residual(a);
    for (const double x : e.entries()) CHECK(std::fabs(x) <= 1e-14 * scale);
    const std::vector<double> x = f.solve({0, scale, 0});
    CHECK(std::fabs(x[0] - 1) < 1e-14);
    CHECK(std::fabs(x[1] - 0.99) < 1e-14);
    CHECK(std::fabs(x[2] + 2) < 1e-14);
  }
}

TEST_CASE("Ldlt<double>: zero, empty and singular matrices") {
  CHECK(Ldlt<double>(Matrix<double>()).size() == 0);
  const Ldlt<double> zero(Matrix<double>(4, 4));
  CHECK(zero.zero() == 4);
  CHECK(zero.negative() == 0);
  Matrix<double> rank1(3, 3);
  for (double& x : rank1.entries()) x = -2;
  const Ldlt<double> f(rank1);
  CHECK(f.negative() == 1);
  CHECK(f.zero() == 2);
  CHECK(f.positive() == 0);
}

TEST_CASE("Ldlt<double>: NaN is counted nowhere and stays in the residual") {
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j <= k; ++j) {
      Matrix<double> a(3, 3);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c)
          a(r, c) = r == c ? 0.1 : 3.0 + static_cast<double>(r + c);
      a(k, j) = a(j, k) = std::nan("");
      const Ldlt<double> f(a);
      const Matrix<double> e = f.residual(a);
      bool nan = false;
      for (const double x : e.entries()) nan = nan || std::isnan(x);
      CHECK(nan);
    }
}
