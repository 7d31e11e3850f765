// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/signed_factor.hpp"

#include <cmath>

#include "unit/linalg/exact_inertia.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Matrix;
using heed::Rational;
using heed::detail::SignedFactor;
using heed::test::exact_inertia;
using heed::test::Inertia;
using heed::test::Random;
using heed::test::rounds;

namespace {

// Column-major lower triangle of a symmetric matrix of the given kind.
std::vector<double> random_symmetric(Random& random, std::size_t n, long kind) {
  std::vector<double> s(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      s[i + j * n] = kind == 0 ? static_cast<double>(random.integer(-1, 1)) : random.uniform();
      if (kind == 1 && i == j) s[i + j * n] = static_cast<double>(n) + random.uniform();
      if (kind == 2 && i == j) s[i + j * n] = 0;
      if (kind == 3 && i == j) s[i + j * n] *= 1e-14;
    }
  return s;
}

Matrix<Rational> exact(const std::vector<double>& s, std::size_t n) {
  Matrix<Rational> a(n, n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) a(i, j) = a(j, i) = Rational(s[i + j * n]);
  return a;
}

}  // namespace

TEST_CASE("Signed factor: its inertia is that of the matrix within the error bound") {
  Random random(311);
  int pivoted = 0, decided = 0, total = 0;
  for (int round = rounds(250); round > 0; --round) {
    const auto n = static_cast<std::size_t>(random.integer(1, 9));
    const long kind = random.integer(0, 4);
    const std::vector<double> s = random_symmetric(random, n, kind);
    const SignedFactor f(s, n);
    ++total;
    if (!(f.error().value() < 1)) continue;
    const Matrix<Rational> a = exact(s, n);
    const Rational e(f.error().value());
    const Inertia low = exact_inertia(a, -e), high = exact_inertia(a, e);
    INFO("n = " << n << ", kind " << kind << ", error " << f.error().value());
    if (low.negative > f.negative()) FAIL("too few negative");
    if (high.negative + high.zero < f.negative()) FAIL("too many negative");
    decided += f.error().value() < 1e-11 ? 1 : 0;
    pivoted += f.is_pivoted() ? 1 : 0;
    if (kind == 1) CHECK_FALSE(f.is_pivoted());
  }
  CHECK(decided > total * 3 / 5);  // the rest is singular, to the last bit
  CHECK(pivoted > 20);
}

TEST_CASE("Signed factor: L Y = b within the residual bound, which is small") {
  Random random(312);
  for (int round = rounds(60); round > 0; --round) {
    const auto n = static_cast<std::size_t>(random.integer(1, 7));
    const std::vector<double> s = random_symmetric(random, n, random.integer(1, 4));
    const SignedFactor f(s, n);
    if (!(f.error().value() < 1e-10)) continue;
    // Y^T Sigma Y = b^T (S - E)^{-1} b: compare with exact elimination through the inertia of the
    // bordered matrix, whose last pivot is t - b^T S^{-1} b.
    std::vector<double> b(n), y;
    for (double& x : b) x = random.uniform();
    y = b;
    const double residual = f.solve({y.data(), n, 1, n}).value();
    CHECK(residual < 1e-8);
    double value = 0;
    for (std::size_t k = 0; k < n; ++k) value += f.signs()[k] * y[k] * y[k];
    Matrix<Rational> bordered(n + 1, n + 1);
    const Matrix<Rational> a = exact(s, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) bordered(i, k) = a(i, k);
      bordered(i, n) = bordered(n, i) = Rational(b[i]);
    }
    double norm = 0;
    for (std::size_t k = 0; k < n; ++k) norm += y[k] * y[k];
    const double slack = 1e-8 * (1 + norm * norm);
    bordered(n, n) = Rational(value - slack);
    CHECK(exact_inertia(bordered, Rational(0)).negative == f.negative() + 1);
    bordered(n, n) = Rational(value + slack);
    CHECK(exact_inertia(bordered, Rational(0)).negative == f.negative());
  }
}

TEST_CASE("Signed factor across several blocks: a known spectrum") {
  // Householder reflection of diag(d): eigenvalues are known up to rounding of 1e-14.
  for (const std::size_t n : {63u, 64u, 65u, 130u, 200u}) {
    std::vector<double> v(n), d(n), s(n * n);
    double norm = 0;
    std::size_t negative = 0;
    for (std::size_t k = 0; k < n; ++k) {
      v[k] = std::cos(static_cast<double>(k * k));
      d[k] = std::sin(static_cast<double>(3 * k + 1));
      d[k] += d[k] > 0 ? 0.05 : -0.05;
      negative += d[k] < 0 ? 1 : 0;
      norm += v[k] * v[k];
    }
    double vdv = 0;
    for (std::size_t k = 0; k < n; ++k) vdv += v[k] * v[k] * d[k];
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        s[i + j * n] = (i == j ? d[i] : 0) - 2 / norm * v[i] * v[j] * (d[i] + d[j]) +
                       4 / (norm * norm) * vdv * v[i] * v[j];
    const SignedFactor f(s, n);
    CHECK(f.error().value() < 1e-6);
    CHECK(f.negative() == negative);
  }
}

TEST_CASE("Signed factor: zero, NaN and infinity give no finite error") {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> s{1, 0.5, 0, 2};
    s[1] = bad;
    CHECK_FALSE(SignedFactor(s, 2).error().is_finite());
    s = {1, 0.5, 0, bad};
    CHECK_FALSE(SignedFactor(s, 2).error().is_finite());
  }
  CHECK_FALSE(SignedFactor({0}, 1).error().is_finite());
  CHECK(SignedFactor({}, 0).error().is_finite());
  const SignedFactor swap({0, 1, 0, 0}, 2);
  CHECK(swap.error().value() < 1e-14);
  CHECK(swap.negative() == 1);
}
