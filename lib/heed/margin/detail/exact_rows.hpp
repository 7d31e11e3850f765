// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/detail/integer_matrix.hpp"
#include "heed/margin/detail/scaled_rows.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed::detail {

/// The exact rows and queries behind a ScaledRows, as integers over one denominator:
/// A_k = a_k z_i^T / denominator, b_k = 2^exponent[k] (inequalities).
struct ExactRows {
  IntegerMatrix a;  ///< m x p
  IntegerMatrix z;  ///< n x q
  Integer denominator;
  std::vector<std::size_t> query;
  std::vector<bool> equality;
  std::vector<long> exponent;

  ExactRows(const MarginProblem& problem, const ScaledRows& scaled);
  std::size_t size() const { return query.size(); }
  std::size_t p() const { return a.cols(); }
  std::size_t q() const { return z.cols(); }

  /// denominator <A_k, B C^T> for every row: m x 1. V = (B; C): (p + q) x r.
  IntegerMatrix values(const IntegerMatrix& V) const;
  /// denominator sum l_k A_k: p x q. l: m x 1.
  IntegerMatrix combine(const IntegerMatrix& l) const;
};

/// Rows first .. first + count - 1 of a matrix.
IntegerMatrix rows_of(const IntegerMatrix& a, std::size_t first, std::size_t count);

}  // namespace heed::detail
