// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// Products in plain loops over `dot`, for every scalar; enclosures where the scalar encloses.
/// Cost: rows x inner x cols multiplications.

/// A B, with A: m x k and B: k x n.
template <class S>
Matrix<S> multiply(const Matrix<S>& a, const Matrix<S>& b) {
  assert(a.cols() == b.rows());
  Matrix<S> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.cols(); ++j)
      c(i, j) = dot(a.cols(), a.row(i), 1, b.data() + j, b.cols());
  return c;
}

/// A B^T, with A: m x k and B: n x k.
template <class S>
Matrix<S> multiply_transposed(const Matrix<S>& a, const Matrix<S>& b) {
  assert(a.cols() == b.cols());
  Matrix<S> c(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.rows(); ++j) c(i, j) = dot(a.cols(), a.row(i), 1, b.row(j), 1);
  return c;
}

/// A^T B, with A: k x m and B: k x n.
template <class S>
Matrix<S> transposed_multiply(const Matrix<S>& a, const Matrix<S>& b) {
  assert(a.rows() == b.rows());
  Matrix<S> c(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.cols(); ++i)
    for (std::size_t j = 0; j < b.cols(); ++j)
      c(i, j) = dot(a.rows(), a.data() + i, a.cols(), b.data() + j, b.cols());
  return c;
}

/// A^T A, exactly symmetric.
template <class S>
Matrix<S> gram_of_columns(const Matrix<S>& a) {
  Matrix<S> c(a.cols(), a.cols());
  for (std::size_t i = 0; i < a.cols(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      c(i, j) = c(j, i) = dot(a.rows(), a.data() + i, a.cols(), a.data() + j, a.cols());
  return c;
}

/// A x.
template <class S>
std::vector<S> multiply(const Matrix<S>& a, const std::vector<S>& x) {
  assert(a.cols() == x.size());
  std::vector<S> y(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) y[i] = dot(a.cols(), a.row(i), 1, x.data(), 1);
  return y;
}

/// A^T x.
template <class S>
std::vector<S> transposed_multiply(const Matrix<S>& a, const std::vector<S>& x) {
  assert(a.rows() == x.size());
  std::vector<S> y(a.cols());
  for (std::size_t j = 0; j < a.cols(); ++j)
    y[j] = dot(a.rows(), a.data() + j, a.cols(), x.data(), 1);
  return y;
}

template <class S>
S dot(const std::vector<S>& a, const std::vector<S>& b) {
  assert(a.size() == b.size());
  return dot(a.size(), a.data(), 1, b.data(), 1);
}

template <class S>
S squared_norm(const std::vector<S>& a) {
  return dot(a, a);
}

/// ||A||_F^2.
template <class S>
S squared_norm(const Matrix<S>& a) {
  return squared_norm(a.entries());
}

}  // namespace heed
