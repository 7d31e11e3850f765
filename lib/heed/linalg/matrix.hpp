// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heed {

/// Dense row-major matrix over any scalar. Vectors are std::vector<S>.
template <class S>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), entries_(rows * cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return entries_.size(); }
  S& operator()(std::size_t i, std::size_t j) { return entries_[i * cols_ + j]; }
  const S& operator()(std::size_t i, std::size_t j) const { return entries_[i * cols_ + j]; }
  S* row(std::size_t i) { return entries_.data() + i * cols_; }
  const S* row(std::size_t i) const { return entries_.data() + i * cols_; }
  S* data() { return entries_.data(); }
  const S* data() const { return entries_.data(); }
  std::vector<S>& entries() { return entries_; }
  const std::vector<S>& entries() const { return entries_; }

  friend bool operator==(const Matrix& a, const Matrix& b) requires requires(const S& x) { x == x; }
  { return a.rows_ == b.rows_ && a.cols_ == b.cols_ && a.entries_ == b.entries_; }

 private:
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<S> entries_;
};

/// Entry by entry f(a_ij), in the scalar that f returns.
template <class F, class S>
auto map(const Matrix<S>& a, F&& f) {
  Matrix<std::decay_t<decltype(f(a(0, 0)))>> r(a.rows(), a.cols());
  for (std::size_t k = 0; k < a.size(); ++k) r.data()[k] = f(a.data()[k]);
  return r;
}

}  // namespace heed
