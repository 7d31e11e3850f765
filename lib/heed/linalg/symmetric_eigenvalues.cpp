// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/symmetric_eigenvalues.hpp"

#include <algorithm>

#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/singular_values.hpp"

namespace heed {

std::vector<Ball> symmetric_eigenvalues(const Matrix<Ball>& a) {
  const std::size_t n = a.rows();
  Matrix<Ball> shifted(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) shifted(i, j) = shifted(j, i) = a(i, j);
  const Ball shift = symmetric_norm_bound(shifted).upper();
  for (std::size_t i = 0; i < n; ++i) shifted(i, i) += shift;
  std::vector<Ball> values = singular_values(shifted);
  for (Ball& x : values) x -= shift;
  std::reverse(values.begin(), values.end());
  return values;
}

}  // namespace heed
