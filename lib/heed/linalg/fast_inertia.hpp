// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/linalg/point_saddle.hpp"

namespace heed {

/// What one factorisation proves of the eigenvalues l_1 <= l_2 <= .. <= l_P of every matrix A' that a
/// PointSaddle stands for: with k = below,
///     l_{k+1} >= shift - lower_error   and   l_k <= shift + upper_error   (for indices in 1 .. P).
/// An infinite or NaN error proves nothing; if both are, `below` means nothing.
struct InertiaCount {
  double shift = 0;
  std::size_t below = 0;
  double lower_error = 0, upper_error = 0;
  /// The first inequality says something; so does the second, then, in all but extreme cases.
  bool is_known() const;
};

/// Counts eigenvalues of a saddle-shaped matrix below a shift in double, rigorously: point
/// factorisations of
///     S_h = K_h - s I + M_h^T M_h / s   and   Q = I + J (blockdiag - s)^{-1} J^T
/// whose inertia is exact, and proved bounds of every rounding error, carried back to A as one number.
///
/// Guarantee: the two inequalities of InertiaCount, for any s. Not guaranteed: that an error is small.
/// lower_error is about 2^-52 w (||K|| + ||M||^2 / |s|), however large J is; upper_error contains a
/// multiple of 2^-52 ||J||^4 / |s| besides. Both are large for s very close to an eigenvalue of a
/// block. s = 0 gives nothing.
/// The result does not depend on the number of threads.
/// Cost: the constructor H (w^2 u + 2 n w u) and n^2 P multiplications, a count
/// H (w^3/6 + n w^2/2 + n^2 w) + n^3/6; memory H w (w + n) + n P doubles besides the matrix.
/// Note: proofs-notes/fast_eigenvalue.md.
class FastInertia {
 public:
  /// The matrix must outlive this object.
  explicit FastInertia(const PointSaddle& a);
  const PointSaddle& matrix() const { return a_; }

  /// s in the scaled units of the matrix.
  InertiaCount count(double s) const;
  /// The same for the blocks without J^T J.
  InertiaCount count_blocks(double s) const;
  /// A guess of the error near s.
  double approx_error(double s) const;

 private:
  struct Head;  // what one block contributes to a count
  Head head(std::size_t h, double s, bool with_rank) const;
  InertiaCount count(double s, bool with_rank) const;

  const PointSaddle& a_;
  std::vector<std::vector<double>> gram_;       // M_h^T M_h, lower triangle, w x w
  std::vector<std::vector<double>> projected_;  // M_h^T J_{U,h}^T, w x n
  std::vector<double> ju_gram_;                 // sum_h J_{U,h} J_{U,h}^T, n x n
  std::vector<double> gram_norm_, gram_error_, projected_norm_, projected_error_, jw_norm_;
  double ju_gram_norm_ = 0, ju_gram_error_ = 0;
  double j_spectral_ = 0;  // upper bound of ||J||_2
};

}  // namespace heed
