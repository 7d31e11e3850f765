// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// Extreme eigenvalues by scalar, for formulas written once:
///   Ball    verified enclosures, as narrow as the working precision resolves
///   DoubleBall  verified enclosures of width about n^2 2^-52 ||A|| plus the norm of the radii; beyond
///           300 parameters by fast_lambda_min and fast_lambda_max on the midpoints
///   double  approximate (dense solver with vectors, scaled to norm 1); values-only drivers are wrong
///           on small matrices of large dynamic range and are not used

template <class S>
struct Extremes {
  S least, largest;
  /// max(|least|, |largest|), the spectral norm.
  S norm() const { return max(abs(least), abs(largest)); }
};

/// Largest eigenvalue of a symmetric matrix.
Ball lambda_max(const Matrix<Ball>& a);
DoubleBall lambda_max(const Matrix<DoubleBall>& a);
double lambda_max(const Matrix<double>& a);

/// Both ends of the spectrum of a symmetric matrix.
Extremes<Ball> extremes(const Matrix<Ball>& a);
Extremes<DoubleBall> extremes(const Matrix<DoubleBall>& a);
Extremes<double> extremes(const Matrix<double>& a);

/// Both ends of the spectrum of blockdiag(blocks) + J^T J; see BlockSaddle. J may have no rows.
Extremes<Ball> extremes(const std::vector<SaddleBlock<Ball>>& blocks, const Matrix<Ball>& J);
Extremes<DoubleBall> extremes(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                              const Matrix<DoubleBall>& J);
Extremes<double> extremes(const std::vector<SaddleBlock<double>>& blocks, const Matrix<double>& J);

}  // namespace heed
