// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/approx_eigen.hpp"
#include "heed/linalg/block_saddle.hpp"

namespace heed::approx {

/// y = c (blockdiag_h [[0, M_h], [M_h^T, K_h]] + J^T J) x in double, from the midpoints, with c a
/// power of two chosen so that the largest entry of K, M and J^2 is about 1.
/// Cost of a product: 2 P w + 2 n P multiplications.
LinearOperator scaled_operator(const std::vector<SaddleBlock<Ball>>& blocks, const Matrix<Ball>& J);

}  // namespace heed::approx
