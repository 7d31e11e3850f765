// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT, Boost.Multiprecision, MPFR, Eigen.

#include <optional>

#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/margin/detail/scaled_system.hpp"
#include "heed/margin/frobenius_margin.hpp"

namespace heed::detail {

/// A MarginProblem in integers, in double, and the rows in use according to double.
struct PreparedProblem {
  IntegerProblem rows;
  RowScales scales;
  GramSystem<double> system;
  ApproxActiveSet found;

  /// Bits of the entries of the integer Gram matrix.
  std::size_t gram_bits() const;
  /// Systems in 50 or 150 digits hold size()^2 numbers.
  bool fits_in_digits() const { return rows.size() <= 1500; }
};

/// Without rows or with a row 0 >= 1 there is nothing to search for: the answer.
std::optional<FrobeniusMargin> trivial_margin(const IntegerProblem& rows);

/// Precondition: no trivial margin.
PreparedProblem prepare(IntegerProblem rows);

/// exact_frobenius of a prepared problem.
FrobeniusMargin exact_frobenius(const PreparedProblem& problem);

/// frobenius_bracket of a prepared problem.
FrobeniusMargin frobenius_bracket(const PreparedProblem& problem, int bits);

}  // namespace heed::detail
