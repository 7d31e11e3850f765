// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// Symmetric factorisation A = P^T L D L^T P + E of a real symmetric matrix, L unit lower triangular,
/// D block diagonal with 1 x 1 and 2 x 2 blocks (Bunch-Parlett pivoting; none for definite A).
///
/// L and D are single points computed from the midpoints of A, so the inertia of L D L^T is known
/// exactly and the factorisation itself is only a candidate. What is rigorous is `residual`: it
/// encloses E for every matrix in A, hence (Weyl) the k-th eigenvalue of A differs from that of
/// P^T L D L^T P by at most ||E||.  Note: proofs-notes/eigenvalue_enclosure.md.
///
/// Instantiated for double and Ball. Only the lower triangle of A is read.
/// Cost: n^3/6 multiplications if definite, n^3/3 more if not; residual n^3/3.
template <class S>
class Ldlt {
 public:
  explicit Ldlt(const Matrix<S>& a);

  std::size_t size() const { return diagonal_.size(); }
  /// Numbers of negative, zero and positive eigenvalues of L D L^T.
  std::size_t negative() const { return negative_; }
  std::size_t zero() const { return zero_; }
  std::size_t positive() const { return size() - negative_ - zero_; }

  /// L, with row i that of row order()[i] of A.
  const Matrix<S>& lower() const { return lower_; }
  const std::vector<std::size_t>& order() const { return order_; }
  /// D: its diagonal, where a 2 x 2 block starts, and there D_{k+1,k}.
  const std::vector<S>& diagonal() const { return diagonal_; }
  const std::vector<bool>& starts_pair() const { return starts_pair_; }
  const std::vector<S>& subdiagonal() const { return subdiagonal_; }

  /// E = A - P^T L D L^T P.
  Matrix<S> residual(const Matrix<S>& a) const;
  /// L^{-1} P b.
  std::vector<S> forward(const std::vector<S>& b) const;
  /// D^{-1} y. Precondition: zero() == 0.
  std::vector<S> divide_by_pivots(const std::vector<S>& y) const;
  /// (P^T L D L^T P)^{-1} b. Precondition: zero() == 0.
  std::vector<S> solve(const std::vector<S>& b) const;

 private:
  bool factor_definite(const Matrix<S>& a);
  void factor_pivoted(const Matrix<S>& a);
  void count_inertia();

  Matrix<S> lower_;             // unit lower triangle, permuted order
  std::vector<S> diagonal_;     // D_kk
  std::vector<S> subdiagonal_;  // D_{k+1,k}; meaningful where starts_pair_[k]
  std::vector<bool> starts_pair_;
  std::vector<std::size_t> order_;  // row k of the permuted matrix is row order_[k] of A
  std::size_t negative_ = 0, zero_ = 0;
};

extern template class Ldlt<double>;
extern template class Ldlt<Ball>;

}  // namespace heed
