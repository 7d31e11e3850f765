// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/separated_least.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/extreme_eigenvalue.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"

namespace heed {
namespace {

// G^{-1} b for a positive definite G, enclosed; nothing if a pivot may be 0.
std::optional<std::vector<Ball>> solve_definite(Matrix<Ball> g, std::vector<Ball> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (!certainly(positive(g(k, k)))) return std::nullopt;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Ball factor = g(i, k) / g(k, k);
      for (std::size_t j = k + 1; j < n; ++j) g(i, j) -= factor * g(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= g(k, j) * b[j];
    b[k] /= g(k, k);
  }
  return b;
}

// Encloses one exact vector near v that is orthogonal to all rows.
std::optional<std::vector<Ball>> project(const Matrix<Ball>& rows, std::vector<Ball> v) {
  const auto y = solve_definite(multiply_transposed(rows, rows), multiply(rows, v));
  if (!y) return std::nullopt;
  const std::vector<Ball> part = transposed_multiply(rows, *y);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] -= part[k];
  return v;
}

}  // namespace

LeastEigenvalueBounds separated_least_eigenvalue(const std::vector<SaddleBlock<Ball>>& blocks,
                                                 const Matrix<Ball>& J, bool dense) {
  const BlockSaddle curvature(blocks, Matrix<Ball>());
  const Ball size = curvature.norm_bound();
  if (!size.is_finite() || !certainly(positive(size))) return {};
  // Half of the digits that the enclosure resolves are spent on the factor between J^T J and the
  // blocks, half on the eigenvalue.
  const long spent = dense ? 3L * working_precision() / 8 : 9L * working_precision() / 40;
  const Ball limit = ldexp(size, spent);
  Matrix<Ball> scaled = J, small = J;
  std::vector<Ball> large_entries;
  for (std::size_t i = 0; i < J.rows(); ++i) {
    const Ball norm2 = dot(J.cols(), J.row(i), 1, J.row(i), 1);
    if (!norm2.is_finite()) return {};
    if (certainly(less_equal(norm2, limit))) continue;
    // Factors may need longer exponents than a machine integer holds, hence no powers of two.
    const Ball unit = (Ball(1) / sqrt_nonnegative(norm2)).midpoint();
    const Ball factor = max(Ball(0), min(Ball(1), sqrt_nonnegative(limit / norm2))).lower();
    if (!unit.is_finite() || !factor.is_finite()) return {};
    for (std::size_t k = 0; k < J.cols(); ++k) {
      large_entries.push_back(unit * J(i, k));
      scaled(i, k) = factor * J(i, k);
      small(i, k) = Ball(0);
    }
  }
  if (large_entries.empty()) return {};
  Matrix<Ball> large(large_entries.size() / J.cols(), J.cols());
  large.entries() = std::move(large_entries);

  std::unique_ptr<SymmetricOperator> a;
  if (dense) {
    a = std::make_unique<DenseSymmetric>(saddle_matrix(blocks, scaled));
  } else {
    a = std::make_unique<BlockSaddle>(blocks, scaled);
  }
  const EigenvalueEnclosure found =
      enclose_extreme_eigenvalue(*a, Extreme::smallest, static_cast<int>(301 * spent / 1000));
  LeastEigenvalueBounds bounds;
  if (found.value.is_finite()) bounds.lower = found.value.lower();
  if (const auto v = project(large, found.vector)) {
    const Ball theta = dot(*v, BlockSaddle(blocks, small).apply(*v)) / squared_norm(*v);
    if (theta.is_finite()) bounds.upper = theta.upper();
  }
  return bounds;
}

}  // namespace heed
