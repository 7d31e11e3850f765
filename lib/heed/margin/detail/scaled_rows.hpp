// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes Eigen: for sources of this library only.

#include <Eigen/Core>
#include <vector>

#include "heed/margin/margin_problem.hpp"

namespace heed::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Where a scaled row comes from.
struct RowSource {
  bool equality = false;
  std::size_t row = 0;
};

/// A max-margin problem in the scalar T, sorted by query:
///
///     min ||V||_*  subject to  <A_k, V> >= b_k,  b_k > 0,  or  <A_k, V> = 0  (equality, b_k = 0)
///
/// with A_k = a_k z_i^T, a_k a column of A and z_i a column of Z.
template <class T>
struct RowsOf {
  using MatrixT = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using VectorT = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  MatrixT A;  ///< p x m
  MatrixT Z;  ///< q x n
  VectorT b;
  std::vector<Index> query;
  std::vector<RowSource> source;

  Index size() const { return A.cols(); }
  Index query_of(Index k) const { return query[static_cast<std::size_t>(k)]; }
  bool equality(Index k) const { return source[static_cast<std::size_t>(k)].equality; }
  /// <A_k, V> for every row.
  VectorT values(const MatrixT& V) const {
    const MatrixT u = V * Z;
    VectorT v(size());
    for (Index k = 0; k < size(); ++k) v[k] = A.col(k).dot(u.col(query_of(k)));
    return v;
  }
  /// sum l_k A_k.
  MatrixT combine(const VectorT& l) const {
    MatrixT c = MatrixT::Zero(A.rows(), Z.cols());
    for (Index k = 0; k < size(); ++k) c.col(query_of(k)) += l[k] * A.col(k);
    return c * Z.transpose();
  }
};

/// In double, scaled by powers of two: a_k is the row of the problem times 2^-row_exponent, z_i the
/// query times 2^-query_exponent, W = 4^scale V, b_k = 2^exponent(k). Entries of every a_k and z_i
/// are below 1, the largest at least 1/4.
struct ScaledRows : RowsOf<double> {
  std::vector<long> row_exponent, query_exponent;
  long scale = 0;

  long exponent(Index k) const;
  /// The rows of a list, in its order (ascending).
  ScaledRows subset(const std::vector<Index>& rows) const;
  /// The same problem for another scale.
  void rescale(long new_scale);
};

/// Rows that are zero are left out: the caller looks for zero inequalities.
ScaledRows scale_rows(const MarginProblem& problem);

/// A number e with 2^(e-2) <= max |x_c| < 2^e for the n numbers at x; LONG_MIN if all are 0.
long exponent_above(const Rational* x, std::size_t n);

}  // namespace heed::detail
