// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// A point of the simplex, exactly, near the minimiser of alpha^T Q alpha; a candidate without error
/// bound, as good as the working precision allows.
///
/// Lawson and Hanson's non-negative least squares for min ||sum x_k f_k||^2 / t^2 + (1 - sum x_k)^2,
/// x >= 0, on midpoints; alpha = x / sum x solves the problem on the simplex for every t, whether the
/// minimum is positive or 0. Entries of alpha are multiples of 2^-bits, bits = working precision.
///
/// Precondition: Q is square, not empty; only midpoints are read. Cost: O(p^3 + n p) an exchange,
/// p rows in use; few exchanges, as rows are guessed in double.
std::vector<Rational> simplex_point(const Matrix<Ball>& Q);

}  // namespace heed::detail
