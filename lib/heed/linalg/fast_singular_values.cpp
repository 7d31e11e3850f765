// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/fast_singular_values.hpp"

#include <Eigen/SVD>
#include <algorithm>

#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Matrix<Ball> balls(const MatrixXd& a) {
  Matrix<Ball> b(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()));
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      b(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = Ball(a(i, j));
  return b;
}

Ball frobenius_norm(const Matrix<Ball>& a) {
  return sqrt_nonnegative(dot(a.size(), a.data(), 1, a.data(), 1));
}

// Upper bound of ||U^T U - I||_2.
Ball defect(const Matrix<Ball>& u) {
  Matrix<Ball> g = gram_of_columns(u);
  for (std::size_t i = 0; i < g.rows(); ++i) g(i, i) -= Ball(1);
  return frobenius_norm(g).upper();
}

}  // namespace

std::vector<Ball> fast_singular_values(const Matrix<Rational>& a) {
  const PrecisionScope scope(128);
  const std::size_t k = std::min(a.rows(), a.cols());
  long e = -approx::exponent_limit;
  for (const Rational& x : a.entries())
    if (x.sign() != 0) e = std::max(e, approx::exponent(Ball(x)));
  if (e == -approx::exponent_limit) return std::vector<Ball>(k);
  const Rational scale = Rational::power_of_two(-e);
  Matrix<Ball> difference(a.rows(), a.cols());
  MatrixXd d(static_cast<Index>(a.rows()), static_cast<Index>(a.cols()));
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) {
      const Rational x = a(i, j) * scale;
      difference(i, j) = Ball(x);
      d(static_cast<Index>(i), static_cast<Index>(j)) = x.nearest_double();
    }
  const Eigen::BDCSVD<MatrixXd> svd(d, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Matrix<Ball> u = balls(svd.matrixU()), v = balls(svd.matrixV());
  const Matrix<Ball> product =
      multiply_transposed(balls(svd.matrixU() * svd.singularValues().asDiagonal()), v);
  // U D is rounded: one more error, (U D)_ij - U_ij D_j, of at most half an ulp an entry.
  const Matrix<Ball> ud = balls(svd.matrixU() * svd.singularValues().asDiagonal());
  Matrix<Ball> rounding(u.rows(), k);
  for (std::size_t i = 0; i < u.rows(); ++i)
    for (std::size_t j = 0; j < k; ++j)
      rounding(i, j) = ud(i, j) - u(i, j) * Ball(svd.singularValues()[static_cast<Index>(j)]);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) difference(i, j) -= product(i, j);
  const Ball du = defect(u), dv = defect(v);
  const Ball error =
      frobenius_norm(difference) + frobenius_norm(rounding) * sqrt_nonnegative(Ball(1) + dv);
  const Ball factor = Ball(1) + Ball::symmetric(max(du, dv));
  std::vector<Ball> values;
  for (std::size_t j = 0; j < k; ++j)
    values.push_back(ldexp(
        Ball(svd.singularValues()[static_cast<Index>(j)]) * factor + Ball::symmetric(error), e));
  return values;
}

}  // namespace heed
