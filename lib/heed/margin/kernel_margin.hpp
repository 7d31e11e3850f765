// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// The margin of rows f_1, ..., f_n, of which only Q_ij = <f_i, f_j> is known:
///
///     gamma = max_{||v|| <= 1} min_i <f_i, v> = min_{alpha in the simplex} sqrt(alpha^T Q alpha) >= 0.
///
/// For any alpha of the simplex, N = sqrt(alpha^T Q alpha):  gamma <= N, and min_i (Q alpha)_i / N is a
/// lower bound; 0 is one always.
struct KernelMargin {
  std::vector<Rational> alpha;       ///< >= 0, sum exactly 1: the point that the bounds come from
  std::vector<std::size_t> support;  ///< alpha_i > 0
  Ball lower, upper;                 ///< single points: 0 <= lower <= gamma <= upper

  Ball gamma() const { return Ball::hull(lower, upper); }
  /// Some v has <f_i, v> > 0 for every i: proved.
  bool separable() const { return certainly(positive(lower)); }
  /// 0 is a convex combination of the rows: proved.
  bool not_separable() const { return upper.is_exact() && upper.contains_zero(); }
};

/// Bounds gamma from enclosures of Q and a given alpha, at the working precision.
/// Precondition (checked, std::invalid_argument): alpha has n entries >= 0 with sum exactly 1.
KernelMargin kernel_margin_at(const Matrix<Ball>& Q, std::vector<Rational> alpha);

/// The same with alpha from an active set method on the midpoints of Q, which is nearly optimal where
/// the enclosures are narrow.
///
/// Guarantee: lower <= gamma <= upper for every Q that the matrix contains, however bad alpha is.
/// lower > 0 proves that the rows can be separated; lower = 0 says nothing. Not guaranteed: width;
/// rows that nearly cancel (gamma << ||f||) need about 2 log2(||f|| / gamma) bits more than the digits.
/// Precondition: n >= 1, Q symmetric. Cost: see detail/simplex_point.hpp. Note:
/// proofs-notes/ntk.md.
KernelMargin kernel_margin(const Matrix<Ball>& Q);

}  // namespace heed
