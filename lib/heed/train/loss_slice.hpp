// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/attention/kernel_fast.hpp"
#include "heed/data/splitmix.hpp"

namespace heed::approx {

/// A direction in the trained blocks with entries N(0, 1), each column of each matrix rescaled to the
/// norm of that column of the weights ("filter normalisation"), in flat order.
std::vector<double> filter_normalised_direction(const KernelWeights<double>& weights,
                                                KernelBlocks trained, SplitMix64& stream);

/// Losses on a square grid of the plane through a point.
struct LossSlice {
  double half = 1;  ///< the grid covers [-half, half]^2
  Matrix<double>
      losses;  ///< losses(i, j) = f(theta + a_i u + a_j v), a_i rising from -half to half

  double coordinate(std::size_t i) const {
    return half * (2 * static_cast<double>(i) / static_cast<double>(losses.rows() - 1) - 1);
  }
};

/// f / N on points x points points around the point where the model stands; it is left there.
/// Precondition: points >= 2.
LossSlice loss_slice(FastKernel& model, const std::vector<double>& u, const std::vector<double>& v,
                     std::size_t points = 21, double half = 1);

/// Curvature of a slice by central second differences at its inner points.
struct SliceCurvature {
  double largest = 0, least = 0;  ///< extreme eigenvalues over all points
  double negative_share = 0;      ///< points with a negative eigenvalue
  double negative_ratio = 0;      ///< mean of |negative eigenvalue| / |larger eigenvalue|
  double range = 0;               ///< largest loss minus least
};
/// Precondition: at least 3 x 3 points.
SliceCurvature slice_curvature(const LossSlice& slice);

}  // namespace heed::approx
