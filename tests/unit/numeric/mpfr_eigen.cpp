// SPDX-License-Identifier: Apache-2.0
// Real<50> as an Eigen scalar. One file, because Eigen's solvers over MPFR take long to compile.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <sstream>

#include "heed/numeric/mpfr_real.hpp"

using heed::Rational;
using heed::Scalar;
using Real = heed::Real<50>;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

namespace {

Matrix hilbert(int n) {
  Matrix a(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = Scalar<Real>::from(Rational(1, i + j + 1));
  return a;
}

const Real tiny("1e-46");

}  // namespace

TEST_CASE("Real<50>: NumTraits are complete") {
  using Traits = Eigen::NumTraits<Real>;
  CHECK(Traits::epsilon() < Real("1e-49"));
  CHECK(1 + Traits::epsilon() > 1);
  CHECK(Traits::infinity() > Traits::highest());
  CHECK(Traits::lowest() == -Traits::highest());
  CHECK(Traits::quiet_NaN() != Traits::quiet_NaN());
  CHECK(Traits::digits10() == 50);
  CHECK(Traits::digits() >= 167);
  CHECK(Traits::min_exponent() < -1000);
  CHECK(Traits::max_exponent() > 1000);
}

TEST_CASE("Real<50>: norms") {
  Vector v(3);
  v << Real(2), Real(3), Real(6);
  CHECK(v.norm() == 7);
  CHECK(abs(v.stableNorm() - 7) < tiny);
  CHECK(v.lpNorm<1>() == 11);
  CHECK(v.lpNorm<Eigen::Infinity>() == 6);
  CHECK(abs(v.blueNorm() - 7) < tiny);
  CHECK(abs(v.normalized().norm() - 1) < tiny);
  const Real scale = ldexp(Real(1), 5000);
  CHECK(abs((v * scale).eval().stableNorm() / scale - 7) < tiny);
}

TEST_CASE("Real<50>: a matrix prints with all its digits") {
  Matrix a(1, 2);
  a << Scalar<Real>::from(Rational(1, 3)), Real(-2);
  std::ostringstream text;
  text << a.format(Eigen::IOFormat(Eigen::FullPrecision));
  CHECK(text.str().find("0." + std::string(49, '3')) != std::string::npos);
  CHECK(text.str().find("-2") != std::string::npos);
}

TEST_CASE("Real<50>: Cholesky factorisations of the Hilbert matrix of order 12") {
  const Matrix a = hilbert(12);
  const Eigen::LLT<Matrix> llt(a);
  REQUIRE(llt.info() == Eigen::Success);
  CHECK((llt.reconstructedMatrix() - a).norm() < tiny);
  const Eigen::LDLT<Matrix> ldlt(a);
  REQUIRE(ldlt.info() == Eigen::Success);
  CHECK(ldlt.isPositive());
  CHECK((ldlt.reconstructedMatrix() - a).norm() < tiny);
  const Vector ones = Vector::Ones(12);
  // The condition number is 1.7e16: 30 of the 50 digits remain.
  CHECK((llt.solve(a * ones) - ones).norm() < Real("1e-30"));
  CHECK((ldlt.solve(a * ones) - ones).norm() < Real("1e-30"));
}

TEST_CASE("Real<50>: self-adjoint eigenproblem of the Hilbert matrix of order 12") {
  const Matrix a = hilbert(12);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(a);
  REQUIRE(solver.info() == Eigen::Success);
  const Vector values = solver.eigenvalues();
  const Matrix vectors = solver.eigenvectors();
  CHECK((a * vectors - vectors * values.asDiagonal()).norm() < tiny);
  CHECK((vectors.transpose() * vectors - Matrix::Identity(12, 12)).norm() < tiny);
  CHECK(abs(values.sum() - a.trace()) < tiny);
  // prod_{k<n} (k!)^4 / prod_{k<2n} k!
  Rational determinant(1);
  for (long k = 1; k < 24; ++k)
    for (long j = 2; j <= k; ++j) {
      determinant /= Rational(j);
      if (k < 12) determinant *= Rational(j) * Rational(j) * Rational(j) * Rational(j);
    }
  const Real exact = Scalar<Real>::from(determinant);
  CHECK(abs(values.prod() / exact - 1) < Real("1e-30"));
  CHECK(values[0] > 0);
}

TEST_CASE("Real<50>: the functions that formulas ask of a scalar") {
  const Real third = Scalar<Real>::from(Rational(1, 3));
  CHECK(abs(3 * third - 1) < tiny);
  CHECK(abs(heed::expm1(ldexp(third, -200)) / ldexp(third, -200) - 1) < tiny);
  CHECK(abs(heed::log1p(ldexp(third, -200)) / ldexp(third, -200) - 1) < tiny);
  CHECK(heed::square(Real(-3)) == 9);
  CHECK(heed::sqrt_nonnegative(Real(-3)) == 0);
  CHECK(heed::sqrt_nonnegative(Real(9)) == 3);
  CHECK(heed::min(Real(1), Real(2)) == 1);
  CHECK(heed::max(Real(1), Real(2)) == 2);
  CHECK(heed::approx::sign(-third) == -1);
  CHECK(heed::approx::exponent(third) == -1);
  CHECK(heed::approx::abs_less(third, Real(-1)));
  CHECK_FALSE(Scalar<Real>::rigorous);
}
