// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "heed/margin/detail/scaled_system.hpp"

namespace heed::detail {

/// Approximate solution of the system of unit rows restricted to the rows in use, in place.
using ApproxSolve = std::function<void(std::vector<double>&)>;

/// Cholesky factor of G_PP in double; nothing if it is numerically singular.
std::optional<ApproxSolve> factor(const GramSystem<double>& system,
                                  const std::vector<std::size_t>& rows);
template <unsigned D>
std::optional<ApproxSolve> factor(const GramSystem<Real<D>>& system,
                                  const std::vector<std::size_t>& rows);
extern template std::optional<ApproxSolve> factor(const GramSystem<Real<50>>&,
                                                  const std::vector<std::size_t>&);
extern template std::optional<ApproxSolve> factor(const GramSystem<Real<150>>&,
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
