// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/curvature_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int power_iterations = 12;

// Upper bound of the spectral radius of the radii.
double spread_bound(const Matrix<DoubleBall>& H) {
  const std::size_t n = H.rows();
  std::vector<double> u(n, 1);
  for (int k = 0; k < power_iterations; ++k) {
    std::vector<double> next(n);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) next[i] += H(i, j).rad() * u[j];
      largest = std::max(largest, next[i]);
    }
    if (!(largest > 0 && largest < infinity)) break;
    // Kept away from 0, and shifted by a multiple of the identity against alternation.
    for (std::size_t i = 0; i < n; ++i) u[i] = std::max(next[i] / largest + u[i], 0x1p-20) / 2;
  }
  double bound = 0;
  for (std::size_t i = 0; i < n; ++i) {
    DoubleBall sum;
    for (std::size_t j = 0; j < n; ++j) sum += DoubleBall(H(i, j).rad()) * DoubleBall(u[j]);
    const DoubleBall ratio = sum / DoubleBall(u[i]);
    if (!ratio.is_finite()) return infinity;
    bound = std::max(bound, ratio.upper());
  }
  return bound;
}

// kappa sum z z^T, about as large as H on the span of the z.
Matrix<DoubleBall> with_flat_part(Matrix<DoubleBall> A,
                                  const std::vector<std::vector<DoubleBall>>& flat) {
  double size = 0;
  for (const DoubleBall& x : A.entries()) size = std::max(size, std::fabs(x.mid()));
  const std::size_t n = A.rows();
  for (const auto& z : flat) {
    double squared = 0;
    for (const DoubleBall& x : z) squared += x.mid() * x.mid();
    const DoubleBall kappa(8 * static_cast<double>(n) * size / squared);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) A(i, j) += kappa * (z[i] * z[j]);
  }
  return A;
}

}  // namespace

double CurvatureRange::norm() const { return std::max(std::fabs(least), std::fabs(most)); }

CurvatureRange curvature_range(const Matrix<DoubleBall>& H,
                               const std::vector<std::vector<DoubleBall>>& flat) {
  const CurvatureRange nothing{-infinity, infinity};
  for (const DoubleBall& x : H.entries())
    if (!x.is_finite()) return nothing;
  const DoubleBall spread(spread_bound(H));
  if (!spread.is_finite()) return nothing;
  const Matrix<DoubleBall> middle = map(H, [](const DoubleBall& x) { return DoubleBall(x.mid()); });
  const Extremes<DoubleBall> ends = extremes(middle);
  const DoubleBall bottom =
      flat.empty() ? ends.least : extremes(with_flat_part(middle, flat)).least;
  const DoubleBall least = bottom - spread, most = ends.largest + spread;
  return {least.is_finite() ? least.lower() : -infinity,
          most.is_finite() ? most.upper() : infinity};
}

HessianRange::HessianRange(const LandscapeProblem& problem,
                           const std::vector<std::vector<Rational>>& flat)
    : inputs_(std::make_shared<const KernelInputs<DoubleBall>>(problem.instance)),
      kernel_(problem.kernel),
      trained_(problem.trained),
      weights_(weights_as<DoubleBall>(problem.instance.weights)) {
  for (const auto& z : flat) {
    flat_.emplace_back();
    for (const Rational& x : z) flat_.back().emplace_back(x);
  }
}

CurvatureRange HessianRange::over(const ScaledRegion& region) const {
  std::vector<DoubleBall> theta;
  for (std::size_t k = 0; k < region.lower.size(); ++k)
    theta.push_back(DoubleBall::between(DoubleBall(region.lower[k]).lower(),
                                        DoubleBall(region.upper[k]).upper()));
  const KernelModel<DoubleBall> model(inputs_, kernel_, with_flat(weights_, trained_, theta));
  return curvature_range(model.hessian(trained_), flat_);
}

}  // namespace heed::detail
