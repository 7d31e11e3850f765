// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/product.hpp"

namespace heed {

/// The P x P matrix blockdiag_h [[0, M_h], [M_h^T, K_h]] + J^T J, for small P and for checks.
template <class S>
Matrix<S> saddle_matrix(const std::vector<SaddleBlock<S>>& blocks, const Matrix<S>& J) {
  std::size_t size = 0;
  for (const SaddleBlock<S>& b : blocks) size += b.size();
  Matrix<S> a = J.rows() > 0 ? gram_of_columns(J) : Matrix<S>(size, size);
  std::size_t at = 0;
  for (const SaddleBlock<S>& b : blocks) {
    const std::size_t u = b.M.rows(), w = b.M.cols();
    for (std::size_t k = 0; k < w; ++k) {
      for (std::size_t i = 0; i < u; ++i) {
        a(at + i, at + u + k) += b.M(i, k);
        a(at + u + k, at + i) += b.M(i, k);
      }
      for (std::size_t i = 0; i < w; ++i) a(at + u + i, at + u + k) += b.K(i, k);
    }
    at += b.size();
  }
  return a;
}

}  // namespace heed
