// SPDX-License-Identifier: Apache-2.0
// Extreme eigenvalues of matrices of DoubleBall: a decomposition by Eigen, which nobody has to believe,
// and a bound of its error. Note: proofs-notes/double_ball.md, "Eigenvalues".
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {
namespace {

using Dense = Eigen::MatrixXd;

constexpr double unit = DoubleBall::unit;
// Above all that underflow takes from sums of products of numbers below 2^10.
constexpr double lost = 0x1p-480;
// Rows up to which a matrix is decomposed as a whole.
constexpr std::size_t dense_limit = 200;

// Upper bounds; entries are finite.
double frobenius_bound(const Dense& m) {
  const double sum = m.squaredNorm();
  return std::sqrt(sum) * (1 + (static_cast<double>(m.size()) + 32) * unit) + lost;
}

double row_sum_bound(const Dense& m) {
  const double sum = m.cwiseAbs().rowwise().sum().maxCoeff();
  return sum * (1 + (static_cast<double>(m.cols()) + 32) * unit) + lost;
}

Extremes<DoubleBall> both(const DoubleBall& x) { return {x, x}; }

// max_i |lambda_i(a) - values_i| for a symmetric a of entries <= 1 and candidates of any origin; not
// finite if they are too bad for the bound.
double eigenvalue_error(const Dense& a, const Dense& vectors, const Eigen::VectorXd& values) {
  const auto n = static_cast<double>(a.rows());
  const double gamma = (2 * n + 16) * unit;
  if (!(gamma < 0x1p-31) || !vectors.allFinite() || !values.allFinite() ||
      !(vectors.cwiseAbs().maxCoeff() <= 2))
    return HUGE_VAL;
  const double largest = values.cwiseAbs().maxCoeff(), size_a = frobenius_bound(a),
               size_q = frobenius_bound(vectors);
  if (!(largest <= 2 * n)) return HUGE_VAL;
  Dense work = vectors.transpose() * vectors;
  work.diagonal().array() -= 1;
  const double skew = frobenius_bound(work) + gamma * (size_q * size_q + n);
  if (!(skew < 0.5)) return HUGE_VAL;
  work.noalias() = a * vectors;
  work -= vectors * values.asDiagonal();
  const double residual = frobenius_bound(work) + gamma * size_q * (size_a + largest);
  return (residual + skew * (size_a + largest)) * (1 + 64 * unit);
}

}  // namespace

Extremes<DoubleBall> extremes(const Matrix<DoubleBall>& a) {
  const std::size_t n = a.rows();
  if (n == 1) return both(a(0, 0));
  long e = approx::exponent(DoubleBall());
  bool finite = true;
  for (const DoubleBall& x : a.entries()) {
    e = std::max(e, approx::exponent(x));
    finite = finite && x.is_finite();
  }
  if (!finite) return both(DoubleBall::unknown());
  if (e == approx::exponent(DoubleBall())) return both(0);
  const auto rows = static_cast<Eigen::Index>(n);
  Dense mid(rows, rows), rad(rows, rows);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const DoubleBall x = ldexp(a(i, j), -e);
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      mid(r, c) = mid(c, r) = x.mid();
      rad(r, c) = rad(c, r) = x.rad();
    }
  const double spread = std::min(row_sum_bound(rad), frobenius_bound(rad));
  const Eigen::SelfAdjointEigenSolver<Dense> solver(mid);
  const Eigen::VectorXd& values = solver.eigenvalues();
  const double error = eigenvalue_error(mid, solver.eigenvectors(), values);
  if (!(error < 1)) {
    const double size = row_sum_bound(mid);
    return both(ldexp(DoubleBall::enclose(0, (size + spread) * (1 + 4 * unit)), e));
  }
  const double radius = (error + spread) * (1 + 4 * unit);
  return {ldexp(DoubleBall::enclose(values.minCoeff(), radius), e),
          ldexp(DoubleBall::enclose(values.maxCoeff(), radius), e)};
}

DoubleBall lambda_max(const Matrix<DoubleBall>& a) { return extremes(a).largest; }

namespace {

// Upper bound of (sum of squares)^{1/2} of mid or rad.
DoubleBall frobenius(const std::vector<DoubleBall>& entries, double (DoubleBall::*part)() const) {
  DoubleBall sum;
  for (const DoubleBall& x : entries) sum += square(DoubleBall((x.*part)()));
  return DoubleBall(sqrt_nonnegative(sum).upper());
}

// Midpoints, and as perturbation what the radii allow.
PointSaddle point_saddle(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                         const Matrix<DoubleBall>& J) {
  const auto mid = [](const DoubleBall& x) { return x.mid(); };
  std::vector<SaddleBlock<double>> points;
  DoubleBall largest;
  for (const SaddleBlock<DoubleBall>& b : blocks) {
    points.push_back({map(b.M, mid), map(b.K, mid)});
    largest = max(largest, frobenius(b.M.entries(), &DoubleBall::rad) +
                               frobenius(b.K.entries(), &DoubleBall::rad));
  }
  const DoubleBall size = frobenius(J.entries(), &DoubleBall::mid),
                   error = frobenius(J.entries(), &DoubleBall::rad);
  const DoubleBall perturbation = largest + error * (size + size + error);
  return PointSaddle(std::move(points), map(J, mid),
                     perturbation.is_finite() ? perturbation.upper() : HUGE_VAL);
}

Extremes<DoubleBall> structured_extremes(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                                         const Matrix<DoubleBall>& J) {
  const PointSaddle a = point_saddle(blocks, J);
  const FastEigenvalue least = fast_lambda_min(a), largest = fast_lambda_max(a);
  return {DoubleBall::between(least.lower, least.upper),
          DoubleBall::between(largest.lower, largest.upper)};
}

}  // namespace

Extremes<DoubleBall> extremes(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                              const Matrix<DoubleBall>& J) {
  std::size_t size = 0;
  for (const SaddleBlock<DoubleBall>& b : blocks) size += b.size();
  return size <= dense_limit ? extremes(saddle_matrix(blocks, J)) : structured_extremes(blocks, J);
}

}  // namespace heed
