// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/linalg/detail/integer_matrix.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed::detail {

/// Distinct rank-one integer matrices a_k z_{query[k]}^T; a_k and z are primitive (their entries have
/// no common factor), the first non-zero entry of z is positive.
struct IntegerRows {
  IntegerMatrix a;  ///< m x p
  std::vector<std::size_t> query;
  std::vector<std::size_t> source;  ///< row of the MarginProblem that this one stands for
  /// A_source = scale a_k z^T. Positive for inequalities.
  std::vector<Rational> scale;

  std::size_t size() const { return query.size(); }
};

/// A MarginProblem in integers, each direction once:
///
///     min ||W'||  subject to  <a_k z^T, W'> >= b_k (integers > 0),   <e_j z^T, W'> = 0,    W = W'/B.
///
/// Of rows that are positive multiples of each other only the one that implies the others is kept;
/// equalities that are zero are dropped. Multipliers v of this problem belong to
/// lambda_k = v_k b_k / B^2 of the row source[k], and mu_j = v_j / (B scale_j).
struct IntegerProblem {
  IntegerMatrix z;  ///< distinct directions of the z_i: n' x q
  IntegerRows inequalities, equalities;
  std::vector<Integer> b;
  Integer B;
  std::size_t problem_rows = 0, problem_equalities = 0;
  std::optional<std::size_t> zero_row;  ///< an inequality 0 >= 1: nothing else is filled in then

  /// Equalities first, then inequalities: the order of all vectors over both.
  std::size_t size() const { return equalities.size() + inequalities.size(); }
  bool is_equality(std::size_t k) const { return k < equalities.size(); }
  const fmpz* a_entry(std::size_t k, std::size_t c) const {
    return is_equality(k) ? equalities.a.at(k, c) : inequalities.a.at(k - equalities.size(), c);
  }
  std::size_t query(std::size_t k) const {
    return is_equality(k) ? equalities.query[k] : inequalities.query[k - equalities.size()];
  }
  /// b_k of an inequality, nullptr for an equality.
  const fmpz* rhs(std::size_t k) const {
    return is_equality(k) ? nullptr : b[k - equalities.size()].raw();
  }
};

IntegerProblem integer_problem(const MarginProblem& problem);

/// Gram matrix of the rows `index` (of the joint order).
IntegerMatrix gram(const IntegerProblem& problem, const std::vector<std::size_t>& index);

/// What follows from multipliers x (integers, joint order given by `index`): with
/// M = sum x_k (a_k z^T), the inner products with every row and ||M||_F^2.
struct Combination {
  std::vector<Integer> values;  ///< joint order, size() entries
  Integer norm2;
};
Combination evaluate(const IntegerProblem& problem, const std::vector<std::size_t>& index,
                     const std::vector<Integer>& x);

/// Multipliers x / divisor of the rows `index` as lambda and mu of the original problem.
struct Multipliers {
  std::vector<Rational> lambda, mu;
};
Multipliers original_multipliers(const IntegerProblem& problem,
                                 const std::vector<std::size_t>& index,
                                 const std::vector<Integer>& x, const Integer& divisor);

}  // namespace heed::detail
