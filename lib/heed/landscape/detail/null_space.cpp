// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/null_space.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/linalg/product.hpp"

namespace heed::detail {

namespace {

// Reduced row echelon form in place; the column of the pivot of each row that is not zero.
std::vector<std::size_t> reduce(Matrix<Rational>& a) {
  const std::size_t n = a.cols();
  std::vector<std::size_t> pivots;
  for (std::size_t c = 0; c < n && pivots.size() < a.rows(); ++c) {
    const std::size_t top = pivots.size();
    std::size_t r = top;
    while (r < a.rows() && a(r, c).sign() == 0) ++r;
    if (r == a.rows()) continue;
    for (std::size_t j = 0; j < n; ++j) std::swap(a(r, j), a(top, j));
    const Rational lead = a(top, c);
    for (std::size_t j = 0; j < n; ++j) a(top, j) /= lead;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      if (i == top || a(i, c).sign() == 0) continue;
      const Rational factor = a(i, c);
      for (std::size_t j = c; j < n; ++j) a(i, j) -= factor * a(top, j);
    }
    pivots.push_back(c);
  }
  return pivots;
}

}  // namespace

Matrix<Rational> row_basis(Matrix<Rational> a) {
  Matrix<Rational> basis(reduce(a).size(), a.cols());
  for (std::size_t k = 0; k < basis.size(); ++k) basis.data()[k] = a.data()[k];
  return basis;
}

std::vector<std::vector<Rational>> null_space(Matrix<Rational> a) {
  const std::size_t n = a.cols();
  const std::vector<std::size_t> pivots = reduce(a);
  std::vector<std::vector<Rational>> basis;
  std::size_t next = 0;
  for (std::size_t c = 0; c < n; ++c) {
    if (next < pivots.size() && pivots[next] == c) {
      ++next;
      continue;
    }
    std::vector<Rational> x(n);
    x[c] = Rational(1);
    for (std::size_t r = 0; r < pivots.size(); ++r) x[pivots[r]] = -a(r, c);
    basis.push_back(std::move(x));
  }
  return basis;
}

EnclosedNullSpace enclosed_null_space(const Matrix<Ball>& M) {
  const std::size_t rows = M.rows(), cols = M.cols();
  if (rows >= cols) return {};
  // Gauss-Jordan in balls with the pivot of largest midpoint in each row.
  Matrix<Ball> a = M;
  std::vector<std::size_t> pivots;
  std::vector<bool> used(cols);
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t pivot = cols;
    for (std::size_t c = 0; c < cols; ++c)
      if (!used[c] && (pivot == cols || approx::abs_less(a(r, pivot), a(r, c)))) pivot = c;
    if (a(r, pivot).contains_zero() || !a(r, pivot).is_finite()) return {};
    used[pivot] = true;
    pivots.push_back(pivot);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i == r) continue;
      const Ball factor = a(i, pivot) / a(r, pivot);
      for (std::size_t c = 0; c < cols; ++c) a(i, c) -= factor * a(r, c);
      a(i, pivot) = Ball();
    }
  }
  EnclosedNullSpace space;
  for (std::size_t c = 0; c < cols; ++c) {
    if (used[c]) continue;
    std::vector<Ball> x(cols);
    x[c] = Ball(1);
    for (std::size_t r = 0; r < rows; ++r) x[pivots[r]] = -a(r, c) / a(r, pivots[r]);
    space.free.push_back(c);
    space.vectors.push_back(std::move(x));
  }
  std::sort(pivots.begin(), pivots.end());
  space.pivots = std::move(pivots);
  return space;
}

ApproxPivots approx_pivots(const Matrix<Ball>& a, double tolerance) {
  Matrix<double> m = map(a, [](const Ball& x) { return approx::to_double(x); });
  std::vector<bool> used_row(m.rows()), used_col(m.cols());
  ApproxPivots result;
  double largest = 0;
  for (const double x : m.entries()) largest = std::fmax(largest, std::fabs(x));
  for (;;) {
    std::size_t row = 0, col = 0;
    double best = tolerance * largest;
    bool found = false;
    for (std::size_t i = 0; i < m.rows(); ++i)
      for (std::size_t j = 0; j < m.cols(); ++j)
        if (!used_row[i] && !used_col[j] && std::fabs(m(i, j)) > best) {
          best = std::fabs(m(i, j));
          row = i;
          col = j;
          found = true;
        }
    if (!found) return result;
    used_row[row] = used_col[col] = true;
    result.rows.push_back(row);
    result.cols.push_back(col);
    for (std::size_t i = 0; i < m.rows(); ++i) {
      if (used_row[i]) continue;
      const double factor = m(i, col) / m(row, col);
      for (std::size_t j = 0; j < m.cols(); ++j) m(i, j) -= factor * m(row, j);
    }
  }
}

bool proves_nonsingular(const Matrix<Ball>& M) {
  const auto n = static_cast<Eigen::Index>(M.rows());
  Eigen::MatrixXd mid(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      mid(i, j) = approx::to_double(M(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
  if (!mid.allFinite()) return false;
  const Eigen::MatrixXd inverse = mid.fullPivLu().inverse();
  Matrix<Ball> R(M.rows(), M.rows());
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      R(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = Ball(inverse(i, j));
  const Matrix<Ball> product = multiply(R, M);
  for (std::size_t i = 0; i < M.rows(); ++i) {
    Ball sum;
    for (std::size_t j = 0; j < M.rows(); ++j) sum += abs(Ball(i == j ? 1 : 0) - product(i, j));
    if (!certainly(less(sum, Ball(1)))) return false;
  }
  return true;
}

}  // namespace heed::detail
