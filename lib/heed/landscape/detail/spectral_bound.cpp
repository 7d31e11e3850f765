// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/spectral_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/linalg/spectral.hpp"

namespace heed::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int power_iterations = 12;

}  // namespace

double CurvatureRange::norm() const { return std::max(std::fabs(least), std::fabs(most)); }

double spectral_radius(const Matrix<DoubleBall>& R) {
  const std::size_t n = R.rows();
  std::vector<double> u(n, 1);
  for (int k = 0; k < power_iterations; ++k) {
    std::vector<double> next(n);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) next[i] += R(i, j).mid() * u[j];
      largest = std::max(largest, next[i]);
    }
    if (!(largest > 0 && largest < infinity)) break;
    // Shifted by a multiple of the identity, against alternation; kept away from 0.
    for (std::size_t i = 0; i < n; ++i) u[i] = std::max(next[i] / largest + u[i], 0x1p-20) / 2;
  }
  double bound = 0;
  for (std::size_t i = 0; i < n; ++i) {
    DoubleBall sum;
    for (std::size_t j = 0; j < n; ++j) sum += R(i, j) * DoubleBall(u[j]);
    const DoubleBall ratio = sum / DoubleBall(u[i]);
    if (!ratio.is_finite()) return infinity;
    bound = std::max(bound, ratio.upper());
  }
  return bound;
}

Matrix<DoubleBall> with_flat_part(Matrix<DoubleBall> A, const FlatBasis& flat) {
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

CurvatureRange curvature_range(const Matrix<DoubleBall>& H, const FlatBasis& flat) {
  const auto part = [&](auto of) {
    return map(H, [&](const DoubleBall& x) { return DoubleBall(of(x)); });
  };
  const DoubleBall spread(spectral_radius(part([](const DoubleBall& x) { return x.rad(); })));
  const Matrix<DoubleBall> middle = part([](const DoubleBall& x) { return x.mid(); });
  const Extremes<DoubleBall> ends = extremes(middle);
  const DoubleBall bottom =
      flat.empty() ? ends.least : extremes(with_flat_part(middle, flat)).least;
  const DoubleBall least = bottom - spread, most = ends.largest + spread;
  return {least.is_finite() ? least.lower() : -infinity,
          most.is_finite() ? most.upper() : infinity};
}

}  // namespace heed::detail
