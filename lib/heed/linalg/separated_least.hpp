// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/matrix.hpp"

namespace heed {

/// Bounds of the least eigenvalue of A = blockdiag(blocks) + J^T J, each a single point.
struct LeastEigenvalueBounds {
  std::optional<Ball> lower, upper;
};

/// For J^T J larger than the blocks by any factor, such as 1e500, where a route that sees A as a whole
/// resolves the least eigenvalue relative to ||A|| only:
///
///   lower  A >= blockdiag + sum_i s_i^2 g_i g_i^T for any s_i in [0, 1] on the rows g_i of J; they are
///          chosen to bring every row down to a modest multiple of the blocks
///   upper  Rayleigh quotient of an exact vector of the kernel of the rows that were brought down,
///          enclosed by a projection in ball arithmetic: those rows contribute exactly 0
///
/// Aim: a gap of 2^(-3 p/8) (dense route) or 2^(-9 p/40) (BlockSaddle) relative to the blocks, at p
/// bits. Not guaranteed: there is no upper bound if the large rows are dependent, and neither bound if
/// no row is large or an entry is not finite.
/// Cost: one enclosure of a matrix of the same shape.
/// Note: proofs-notes/hessian_structure.md, "A Gauss-Newton term that dwarfs the blocks".
LeastEigenvalueBounds separated_least_eigenvalue(const std::vector<SaddleBlock<Ball>>& blocks,
                                                 const Matrix<Ball>& J, bool dense);

}  // namespace heed
