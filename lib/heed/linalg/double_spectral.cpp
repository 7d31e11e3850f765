// SPDX-License-Identifier: Apache-2.0
// Extreme eigenvalues of matrices of DoubleBall: a decomposition by Eigen, which nobody has to believe,
// and a bound of its error. Note: proofs-notes/double_ball.md, "Eigenvalues".
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/midpoint_saddle.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {
namespace {

using Dense = Eigen::MatrixXd;

constexpr double unit = DoubleBall::unit;
// Above all that underflow takes from sums of products of numbers below 2^10.
constexpr double lost = 0x1p-480;
// P up to which hess L is decomposed as a whole.
constexpr std::size_t dense_limit = 300;

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

// Upper bound of the Frobenius norm, scaled so that squares stay in range; infinite if an entry is.
template <class F>
double frobenius_bound(const Matrix<DoubleBall>& a, F entry) {
  double largest = 0;
  for (const DoubleBall& x : a.entries()) largest = std::max(largest, entry(x));
  if (!(largest > 0) || !std::isfinite(largest)) return largest;
  const long e = approx::exponent(largest);
  double sum = 0;
  for (const DoubleBall& x : a.entries()) {
    const double scaled = ldexp(entry(x), -e);
    sum += scaled * scaled;
  }
  const auto n = static_cast<double>(a.size());
  return ldexp(std::sqrt(sum) * (1 + (n + 32) * unit) + lost, e) + DoubleBall::tiny;
}

double radius_bound(const Matrix<DoubleBall>& a) {
  return frobenius_bound(a, [](const DoubleBall& x) { return x.rad(); });
}

Matrix<double> midpoints(const Matrix<DoubleBall>& a) {
  return map(a, [](const DoubleBall& x) { return x.mid(); });
}

Extremes<DoubleBall> structured_extremes(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                                         const Matrix<DoubleBall>& J) {
  const PointSaddle a = midpoint_saddle(blocks, J);
  FastEigenvalueOptions options;
  options.relative_width = 1e-12;
  const FastEigenvalue least = fast_lambda_min(a, options), largest = fast_lambda_max(a, options);
  return {DoubleBall::between(least.lower, least.upper),
          DoubleBall::between(largest.lower, largest.upper)};
}

// Each block by itself, J left out.
Extremes<DoubleBall> block_extremes(const std::vector<SaddleBlock<DoubleBall>>& blocks) {
  Extremes<DoubleBall> all = both(DoubleBall::unknown());
  bool first = true;
  for (const SaddleBlock<DoubleBall>& block : blocks) {
    if (block.size() == 0) continue;
    const Extremes<DoubleBall> e = block.size() <= 48
                                       ? extremes(saddle_matrix<DoubleBall>({block}, {}))
                                       : structured_extremes({block}, {});
    all = first ? e : Extremes<DoubleBall>{min(all.least, e.least), max(all.largest, e.largest)};
    first = false;
  }
  return all;
}

}  // namespace

PointSaddle midpoint_saddle(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                            const Matrix<DoubleBall>& J) {
  std::vector<SaddleBlock<double>> points;
  double in_blocks = 0;
  for (const SaddleBlock<DoubleBall>& b : blocks) {
    points.push_back({midpoints(b.M), midpoints(b.K)});
    in_blocks = std::max(in_blocks, radius_bound(b.M) + radius_bound(b.K));
  }
  const double size_j = frobenius_bound(J, [](const DoubleBall&x) { return std::fabs(x.mid()); }),
               in_j = radius_bound(J);
  const double perturbation =
      (in_blocks + (in_j * (2 * size_j + in_j) + 4 * DoubleBall::tiny)) * (1 + 32 * unit);
  const bool known = size_j < DoubleBall::limit && perturbation < DoubleBall::limit;
  return PointSaddle(std::move(points), midpoints(J), known ? perturbation : HUGE_VAL);
}

Extremes<DoubleBall> extremes(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                              const Matrix<DoubleBall>& J) {
  if (J.rows() == 0) return block_extremes(blocks);
  return J.cols() <= dense_limit ? extremes(saddle_matrix(blocks, J))
                                 : structured_extremes(blocks, J);
}

}  // namespace heed
