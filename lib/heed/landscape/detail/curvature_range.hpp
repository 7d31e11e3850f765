// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed::detail {

/// least |x|^2 <= x^T H x <= most |x|^2; infinite where nothing is known.
struct CurvatureRange {
  double least, most;
  double norm() const;
};

/// Bounds for every symmetric matrix in H: the ends of the spectrum of the midpoints, and the largest
/// entry of R u / u for the radii R and some u > 0. `least` is for x at right angles to `flat` only.
CurvatureRange curvature_range(const Matrix<DoubleBall>& H,
                               const std::vector<std::vector<DoubleBall>>& flat = {});

/// A box of all trained coordinates, perhaps around a ball.
struct ScaledRegion {
  std::vector<Rational> lower, upper;
};

/// Hessians of f by all trained coordinates over boxes, in enclosures in double.
class HessianRange {
 public:
  /// f must be constant along `flat`.
  explicit HessianRange(const LandscapeProblem& problem,
                        const std::vector<std::vector<Rational>>& flat = {});

  /// Over all theta in the box.
  CurvatureRange over(const ScaledRegion& region) const;

 private:
  std::shared_ptr<const KernelInputs<DoubleBall>> inputs_;
  AttentionKernel kernel_;
  KernelBlocks trained_;
  KernelWeights<DoubleBall> weights_;
  std::vector<std::vector<DoubleBall>> flat_;
};

}  // namespace heed::detail
