// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/nuclear_norm.hpp"

#include <algorithm>

#include "heed/linalg/detail/singular_triples.hpp"
#include "heed/linalg/product.hpp"

namespace heed {

Ball nuclear_norm(const Matrix<Ball>& a) {
  if (a.size() == 0) return Ball(0);
  const detail::SingularTriples t = detail::approx_singular_triples(a);
  const auto row_product = [](const Matrix<Ball>& m, std::size_t j) {
    return dot(m.cols(), m.row(j), 1, m.row(j), 1);
  };
  // <A, sum_j left_j right_j^T> = sum_j left_j^T A right_j.
  const Matrix<Ball> image = multiply_transposed(a, t.right);
  Ball inner(0), sum(0);
  for (std::size_t j = 0; j < t.sigma.size(); ++j) {
    inner += dot(a.rows(), t.left.row(j), 1, image.data() + j, image.cols());
    sum += t.sigma[j] * sqrt_nonnegative(row_product(t.left, j) * row_product(t.right, j));
  }
  const Ball shorter(static_cast<int>(std::min(a.rows(), a.cols())));
  const Ball upper = sum + sqrt(shorter) * sqrt_nonnegative(squared_norm(detail::residual(a, t)));
  // ||L||_2 <= sqrt(1 + ||L L^T - I||_F).
  const auto norm = [](const Matrix<Ball>& rows) {
    return sqrt(Ball(1) + detail::orthonormality_defect(rows));
  };
  const Ball lower =
      t.sigma.empty() ? Ball(0) : max(Ball(0), Ball(inner / (norm(t.left) * norm(t.right))));
  return Ball::hull(lower.lower(), upper.upper());
}

}  // namespace heed
