// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/singular_values.hpp"

#include <Eigen/SVD>
#include <algorithm>

#include "heed/linalg/detail/singular_triples.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Matrix<Ball> columns(const MatrixXd& a) {
  Matrix<Ball> b(static_cast<std::size_t>(a.cols()), static_cast<std::size_t>(a.rows()));
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      b(static_cast<std::size_t>(j), static_cast<std::size_t>(i)) = Ball(a(i, j));
  return b;
}

}  // namespace

std::vector<Ball> fast_singular_values(const Matrix<Rational>& a) {
  // Products of doubles are single points.
  const PrecisionScope scope(128);
  long e = -approx::exponent_limit;
  for (const Rational& x : a.entries())
    if (x.sign() != 0) e = std::max(e, approx::exponent(Ball(x)));
  if (e == -approx::exponent_limit) return std::vector<Ball>(std::min(a.rows(), a.cols()));
  const Rational scale = Rational::power_of_two(-e);
  Matrix<Ball> scaled(a.rows(), a.cols());
  MatrixXd d(static_cast<Index>(a.rows()), static_cast<Index>(a.cols()));
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) {
      const Rational x = a(i, j) * scale;
      scaled(i, j) = Ball(x);
      d(static_cast<Index>(i), static_cast<Index>(j)) = x.nearest_double();
    }
  const Eigen::BDCSVD<MatrixXd> svd(d, Eigen::ComputeThinU | Eigen::ComputeThinV);
  detail::SingularTriples t{columns(svd.matrixU()), columns(svd.matrixV()), {}};
  for (const double s : svd.singularValues()) t.sigma.push_back(Ball(s));
  std::vector<Ball> values = detail::enclose_singular_values(scaled, t);
  for (Ball& x : values) x = ldexp(x, e);
  return values;
}

}  // namespace heed
