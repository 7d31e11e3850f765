// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/double_ball.hpp"

namespace heed::detail {

/// least |x|^2 <= <x, M x> <= most |x|^2; infinite where nothing is known.
struct CurvatureRange {
  double least, most;
  double norm() const;
};

using FlatBasis = std::vector<std::vector<DoubleBall>>;

/// Upper bound of the spectral radius of a symmetric matrix of points >= 0: the largest entry of R u / u
/// for some u > 0. Infinite if R is not finite.
double spectral_radius(const Matrix<DoubleBall>& R);

/// A + kappa sum z z^T, kappa so large that the least eigenvalue is one across the span of the z.
Matrix<DoubleBall> with_flat_part(Matrix<DoubleBall> A, const FlatBasis& flat);

/// Of every symmetric matrix in H, by midpoints and radii; `least` across the directions of `flat`.
CurvatureRange curvature_range(const Matrix<DoubleBall>& H, const FlatBasis& flat);

}  // namespace heed::detail
