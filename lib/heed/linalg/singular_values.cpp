// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/singular_values.hpp"

#include <algorithm>

#include "heed/linalg/product.hpp"

namespace heed {
namespace {

constexpr int most_sweeps = 40;

Ball off_diagonal_norm(const Matrix<Ball>& g) {
  Ball sum;
  for (std::size_t i = 0; i < g.rows(); ++i)
    for (std::size_t j = 0; j < g.cols(); ++j)
      if (i != j) sum += square(g(i, j));
  return sqrt_nonnegative(sum);
}

// (x_j, x_k) <- (c x_j - s x_k, s x_j + c x_k) at the midpoints, over n entries of a stride.
void rotate(Ball* x, Ball* y, std::size_t n, std::size_t stride, const Ball& c, const Ball& s) {
  for (std::size_t i = 0; i < n * stride; i += stride) {
    const Ball u = x[i];
    x[i] = (c * u - s * y[i]).midpoint();
    y[i] = (s * u + c * y[i]).midpoint();
  }
}

// Columns are approximate eigenvectors of the midpoints: cyclic Jacobi.
Matrix<Ball> approximate_eigenvectors(const Matrix<Ball>& matrix) {
  const std::size_t n = matrix.rows();
  Matrix<Ball> g = map(matrix, [](const Ball&x) { return x.midpoint(); }), v(n, n);
  for (std::size_t i = 0; i < n; ++i) v(i, i) = Ball(1);
  const long floor = -working_precision() + 4;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t k = 1; k < n; ++k)
      for (std::size_t j = 0; j < k; ++j) {
        const long size = std::max(approx::exponent(g(j, j)), approx::exponent(g(k, k)));
        if (approx::sign(g(j, k)) == 0 || approx::exponent(g(j, k)) < size + floor) continue;
        rotated = true;
        // t = tan of the angle that makes g_jk vanish, the smaller one.
        const Ball zeta = ((g(k, k) - g(j, j)) / ldexp(g(j, k), 1)).midpoint();
        const Ball root = sqrt(Ball(1) + square(zeta));
        const Ball t =
            (Ball(1) / (approx::sign(zeta) < 0 ? Ball(zeta - root) : Ball(zeta + root))).midpoint();
        const Ball c = (Ball(1) / sqrt(Ball(1) + square(t))).midpoint(), s = (t * c).midpoint();
        rotate(&g(0, j), &g(0, k), n, n, c, s);
        rotate(&g(j, 0), &g(k, 0), n, 1, c, s);
        rotate(&v(0, j), &v(0, k), n, n, c, s);
      }
    if (!rotated) break;
  }
  return v;
}

}  // namespace

std::vector<Ball> singular_values(const Matrix<Ball>& a) {
  const bool wide = a.cols() > a.rows();
  const Matrix<Ball> g = wide ? multiply_transposed(a, a) : gram_of_columns(a);
  const Matrix<Ball> v = approximate_eigenvectors(g);
  const Matrix<Ball> rotated = transposed_multiply(v, multiply(g, v));
  Matrix<Ball> defect = gram_of_columns(v);
  for (std::size_t i = 0; i < defect.rows(); ++i) defect(i, i) -= Ball(1);
  const Ball theta = Ball(1) + Ball::symmetric(sqrt_nonnegative(squared_norm(defect)).upper());
  const Ball spread = Ball::symmetric(off_diagonal_norm(rotated).upper());
  // Of two balls the larger k-th lower and upper ends enclose the k-th largest entry.
  std::vector<Ball> lower, upper, values;
  for (std::size_t i = 0; i < rotated.rows(); ++i) {
    lower.push_back(rotated(i, i).lower());
    upper.push_back(rotated(i, i).upper());
  }
  const auto falling = [](const Ball& x, const Ball& y) { return approx::less(y, x); };
  std::sort(lower.begin(), lower.end(), falling);
  std::sort(upper.begin(), upper.end(), falling);
  for (std::size_t i = 0; i < lower.size(); ++i)
    values.push_back(sqrt_nonnegative((Ball::hull(lower[i], upper[i]) + spread) / theta));
  return values;
}

}  // namespace heed
