// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "heed/margin/detail/scaled_system.hpp"

namespace heed::detail {

/// Approximate solution of G_PP step = residual for the rows P in use, rounded to integers.
using ApproxSolve = std::function<std::vector<Integer>(const std::vector<Integer>&)>;

/// By a Cholesky factor of the unit rows in double; nothing if it is numerically singular.
std::optional<ApproxSolve> double_solve(const GramSystem<double>& system, const RowScales& scales,
                                        const std::vector<std::size_t>& rows);

/// By a Cholesky factor of the integer Gram matrix in D digits.
template <unsigned D>
std::optional<ApproxSolve> real_solve(const IntegerProblem& problem,
                                      const std::vector<std::size_t>& rows);
extern template std::optional<ApproxSolve> real_solve<50>(const IntegerProblem&,
                                                          const std::vector<std::size_t>&);
extern template std::optional<ApproxSolve> real_solve<150>(const IntegerProblem&,
                                                           const std::vector<std::size_t>&);

/// x_k / 2^scale solve G_PP x = b_P (the IntegerProblem's G and b) up to rounding.
struct RefinedMultipliers {
  std::vector<Integer> x;
  long scale = 0;
  Combination at;  ///< of x
  bool converged = false;
};

/// Refinement with exact residuals. The scale is chosen such that rounding x to integers costs less
/// than 2^-bits b_k in each row; not converged if the residual does not fall to that.
RefinedMultipliers refine(const IntegerProblem& problem, const RowScales& scales,
                          const std::vector<std::size_t>& rows, const ApproxSolve& solve, int bits);

}  // namespace heed::detail
