// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/linalg/symmetric_operator.hpp"

namespace heed::approx {

/// Candidate eigenvectors in double. Nothing here carries a bound.

/// Eigenvector of the least or largest eigenvalue of the midpoints, which are scaled by a power of
/// two to norm about 1 first (entries of 1e-500 are fine). Dense solver with vectors. Never empty.
std::vector<double> extreme_eigenvector(const Matrix<Ball>& a, Extreme end);
std::vector<double> extreme_eigenvector(const Matrix<double>& a, Extreme end);

/// Matrix-free operator y = A x on arrays of `size` doubles.
struct LinearOperator {
  std::size_t size = 0;
  std::function<void(const double* x, double* y)> apply;
};

struct LanczosResult {
  double value = 0;            ///< Ritz value
  std::vector<double> vector;  ///< unit Ritz vector, never empty
  double residual = 0;         ///< ||A v - value v||
  bool converged = false;      ///< the solver's own opinion
};

/// Least or largest eigenvalue of a symmetric operator by implicitly restarted Lanczos (Spectra).
///
/// The operator is scaled to norm about 1 and shifted by that norm: without the scaling Spectra's
/// absolute thresholds go wrong on tiny norms, without the shift it misses the null space of an
/// exactly singular matrix (its start vector is replaced by A v0).
/// Not guaranteed: that the value is the extreme one; it is a candidate, whatever `converged` says.
LanczosResult lanczos_extreme(const LinearOperator& a, Extreme end);

}  // namespace heed::approx
