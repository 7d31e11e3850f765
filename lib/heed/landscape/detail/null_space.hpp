// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// A basis of { x : A x = 0 }, exactly. Cost: rows cols^2 exact operations.
std::vector<std::vector<Rational>> null_space(Matrix<Rational> a);

/// Independent rows with the same row space, exactly.
Matrix<Rational> row_basis(Matrix<Rational> a);

/// Vectors that hold, for every matrix in M, a basis of { c : M c = 0 }: vector k is 1 in column free[k],
/// 0 in the other columns that are no pivots.
struct EnclosedNullSpace {
  std::vector<std::size_t> pivots, free;  ///< columns, rising
  std::vector<std::vector<Ball>> vectors;
};

/// Nothing unless M has more columns than rows, and its rows are proved independent.
EnclosedNullSpace enclosed_null_space(const Matrix<Ball>& M);

/// Rows and columns of the pivots of an elimination with complete pivoting of the midpoints, in
/// double, down to `tolerance` times the largest entry. A candidate.
struct ApproxPivots {
  std::vector<std::size_t> rows, cols;
};
ApproxPivots approx_pivots(const Matrix<Ball>& a, double tolerance);

/// True if |I - R M| < 1 is proved in the norm of row sums for an approximate inverse R: then every
/// matrix in M is nonsingular.
bool proves_nonsingular(const Matrix<Ball>& M);

}  // namespace heed::detail
