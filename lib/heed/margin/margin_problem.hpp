// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// Rank-one matrices A_k = a_k z_{i(k)}^T, k = 0..m-1, kept as factors.
///
/// a: m x p (row k is a_k), query[k] = i(k) indexes the rows of the problem's Z: n x q.
struct RankOneRows {
  Matrix<Rational> a;
  std::vector<std::size_t> query;
  std::vector<std::size_t> token;  ///< t of row k (tokens), or k (plain rows); for reports

  std::size_t size() const { return query.size(); }
};

/// A max-margin problem: over W in R^{p x q},
///
///     minimise ||W||   subject to   <A_k, W> >= 1  for every k,   <E_j, W> = 0  for every j.
///
/// The margin is Gamma = 1 / ||W|| at the minimum. For tokens, A_k = (x_{i,s0} - x_it) z_i^T for the
/// unselected t and E_j = (x_{i,s0} - x_is) z_i^T for the further selected s, in the order of i, then t
/// (selected: in the order of the list), p = q = d. Plain rows have q = 1 and Z = (1).
/// Source: attsvm.md section 2 and the notation of certificates.md.
struct MarginProblem {
  Matrix<Rational> Z;  ///< n x q
  RankOneRows inequalities;
  RankOneRows equalities;

  std::size_t rows() const { return inequalities.size(); }
  std::size_t p() const { return inequalities.a.cols(); }
  std::size_t q() const { return Z.cols(); }
};

/// The Att-SVM of an instance for its selected tokens.
MarginProblem margin_problem(const QueryInstance& instance);

/// The margin of plain rows.
MarginProblem margin_problem(const RowsInstance& instance);

/// <A_k, W> for every row: a_k^T W z_i. W: p x q.
std::vector<Rational> row_values(const RankOneRows& rows, const Matrix<Rational>& Z,
                                 const Matrix<Rational>& W);

/// sum_k lambda_k A_k: p x q.
Matrix<Rational> combine(const RankOneRows& rows, const Matrix<Rational>& Z,
                         const std::vector<Rational>& lambda);

}  // namespace heed
