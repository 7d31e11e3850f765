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

/// A max-margin problem in double, scaled by powers of two and sorted by query:
///
///     min ||V||_*   subject to  <A_k, V> >= b_k,  b_k > 0,  or  <A_k, V> = 0 where b_k = 0
///
/// with A_k = a_k z_i^T; a_k is the row of the problem times 2^-row_exponent, z_i the query times
/// 2^-query_exponent, and W = 4^scale V. Entries of every a_k and z_i are below 1, the largest at least
/// 1/4. Zero equalities are left out.
struct ScaledRows {
  MatrixXd A;  ///< p x m
  MatrixXd Z;  ///< q x n
  VectorXd b;
  std::vector<Index> query;
  std::vector<RowSource> source;
  std::vector<long> row_exponent, query_exponent;
  long scale = 0;

  Index size() const { return A.cols(); }
  bool equality(Index k) const { return b[k] == 0; }
  /// The rows of a list, in its order (ascending).
  ScaledRows subset(const std::vector<Index>& rows) const;
  /// The same problem for another scale.
  void rescale(long new_scale);
  /// <A_k, V> for every row.
  VectorXd values(const MatrixXd& V) const;
  /// sum l_k A_k.
  MatrixXd combine(const VectorXd& l) const;
};

/// Precondition: no inequality has a_k = 0 or z_i = 0.
ScaledRows scale_rows(const MarginProblem& problem);

/// A number e with 2^(e-2) <= max |x_c| < 2^e for the n numbers at x; LONG_MIN if all are 0.
long exponent_above(const Rational* x, std::size_t n);

}  // namespace heed::detail
