// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/linalg/matrix.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {

/// Both ends of the spectrum of a positive semidefinite matrix G = J J^T.
///
/// As `extremes`, cut at 0, and for the least eigenvalue the graded bound: with D = diag(sqrt(G_ii)) and
/// G = D A D,
///
///     min_i G_ii lambda_min(A) <= lambda_min(G) <= min_i G_ii,
///
/// which keeps relative accuracy where the rows of J differ by any factor.
/// Precondition: every matrix meant by G is positive semidefinite (not checked).
/// Cost: two extreme eigenvalue problems. Note: proofs-notes/kernel_attention.md.
template <class S>
Extremes<S> gram_extremes(const Matrix<S>& G);

extern template Extremes<DoubleBall> gram_extremes(const Matrix<DoubleBall>&);
extern template Extremes<Ball> gram_extremes(const Matrix<Ball>&);

}  // namespace heed
