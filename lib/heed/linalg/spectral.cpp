// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/spectral.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/separated_least.hpp"

namespace heed {
namespace {

// Multiplications of one factorisation by either route; the dense one resolves twice as many digits.
bool dense_is_cheaper(const std::vector<SaddleBlock<Ball>>& blocks, std::size_t rank) {
  double size = 0, structured = 0;
  const auto n = static_cast<double>(rank);
  for (const SaddleBlock<Ball>& b : blocks) {
    const auto w = static_cast<double>(b.K.rows());
    size += static_cast<double>(b.size());
    structured += 2 * w * w * w / 3 + n * w * w / 2 + n * n * w / 2;
  }
  structured += n * n * n / 2;
  return size <= 48 || 2 * size * size * size / 3 <= structured;
}

int resolved_digits(const SymmetricOperator& a) {
  return static_cast<int>(-0.30103 * static_cast<double>(approx::exponent(a.resolution())));
}

Ball extreme(const SymmetricOperator& a, Extreme end) {
  return enclose_extreme_eigenvalue(a, end, resolved_digits(a)).value;
}

Extremes<Ball> extremes_of(const SymmetricOperator& a) {
  return {extreme(a, Extreme::smallest), extreme(a, Extreme::largest)};
}

}  // namespace

Ball lambda_max(const Matrix<Ball>& a) {
  if (a.rows() == 1) return a(0, 0);
  return extreme(DenseSymmetric(a), Extreme::largest);
}

Extremes<Ball> extremes(const Matrix<Ball>& a) {
  if (a.rows() == 1) return {a(0, 0), a(0, 0)};
  return extremes_of(DenseSymmetric(a));
}

Extremes<Ball> extremes(const std::vector<SaddleBlock<Ball>>& blocks, const Matrix<Ball>& J) {
  const bool dense = dense_is_cheaper(blocks, J.rows());
  Extremes<Ball> e =
      dense ? extremes(saddle_matrix(blocks, J)) : extremes_of(BlockSaddle(blocks, J));
  // Half of the digits that either route resolves; what is missing is sought where J^T J dominates.
  const int digits = working_precision() * (dense ? 113 : 67) / 1000;
  if (J.rows() == 0 || e.least.has_relative_digits(digits)) return e;
  const LeastEigenvalueBounds b = separated_least_eigenvalue(blocks, J, dense);
  Ball lower = e.least.lower(), upper = e.least.upper();
  if (b.lower) lower = max(lower, *b.lower).lower();
  if (b.upper) upper = min(upper, *b.upper).upper();
  if (b.lower || b.upper) e.least = Ball::hull(lower, upper);
  return e;
}

Extremes<double> extremes(const Matrix<double>& a) {
  double scale = 0;
  for (const double x : a.entries()) scale = std::max(scale, std::fabs(x));
  if (!(scale > 0) || !std::isfinite(scale)) return {scale, scale};
  const int exponent = std::ilogb(scale);
  const auto n = static_cast<Eigen::Index>(a.rows());
  Eigen::MatrixXd m(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      m(i, j) = std::ldexp(a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)), -exponent);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
  return {std::ldexp(solver.eigenvalues()[0], exponent),
          std::ldexp(solver.eigenvalues()[n - 1], exponent)};
}

double lambda_max(const Matrix<double>& a) { return extremes(a).largest; }

Extremes<double> extremes(const std::vector<SaddleBlock<double>>& blocks, const Matrix<double>& J) {
  return extremes(saddle_matrix(blocks, J));
}

}  // namespace heed
