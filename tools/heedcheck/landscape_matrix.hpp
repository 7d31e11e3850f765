// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "jet.hpp"

namespace heedcheck {

// A matrix of numbers, row-major; of intervals: all matrices with entries in them.
template <class S>
struct Matrix {
  std::size_t rows, cols;
  std::vector<S> entries;

  Matrix(std::size_t height, std::size_t width)
      : rows(height), cols(width), entries(height * width) {}
  S& at(std::size_t r, std::size_t c) { return entries[r * cols + c]; }
  const S& at(std::size_t r, std::size_t c) const { return entries[r * cols + c]; }
};
using IntervalMatrix = Matrix<Interval>;
using RationalMatrix = Matrix<mpq_class>;

template <class S>
Matrix<S> product(const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> result(a.rows, b.cols);
  for (std::size_t r = 0; r < a.rows; ++r) {
    for (std::size_t c = 0; c < b.cols; ++c) {
      for (std::size_t k = 0; k < a.cols; ++k) result.at(r, c) += a.at(r, k) * b.at(k, c);
    }
  }
  return result;
}

template <class S>
Matrix<S> transposed(const Matrix<S>& a) {
  Matrix<S> result(a.cols, a.rows);
  for (std::size_t r = 0; r < a.rows; ++r) {
    for (std::size_t c = 0; c < a.cols; ++c) result.at(c, r) = a.at(r, c);
  }
  return result;
}

// From a lower triangle (see Jet); from numbers, row-major.
IntervalMatrix symmetric_matrix(const std::vector<Interval>& triangle, std::size_t order);
IntervalMatrix matrix_of(const std::vector<mpq_class>& entries, std::size_t rows, std::size_t cols);

// One matrix of it, entries in the middle.
IntervalMatrix middle(IntervalMatrix a);

// Proved for every matrix in it (symmetric, square); false: not proved.
bool is_positive_definite(IntervalMatrix a);
bool is_nonsingular(const IntervalMatrix& a);

// Holds the solution of a x = b for all matrices in a (square) and b; nothing unless every a is proved
// nonsingular.
std::optional<IntervalMatrix> solve(const IntervalMatrix& a, const IntervalMatrix& b);

// Independent rows that span the same space, as many as the rank, in reduced echelon form up to factors
// of the rows: exact, and few entries that are not 0.
RationalMatrix row_basis(RationalMatrix a);

}  // namespace heedcheck
