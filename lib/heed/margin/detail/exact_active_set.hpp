// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/margin/detail/integer_rows.hpp"

namespace heed::detail {

/// The end of the exact non-negative least-squares problem
///
///     min || sum x_k (a_k z^T) ||_F^2 + (1 - sum b_k x_k)^2,   x_k >= 0 for inequalities:
///
/// x / den with kappa / den = 1 - sum b_k x_k / den. kappa > 0: the multipliers x / kappa solve the
/// problem; kappa = 0: x is a Farkas vector.
struct ExactActiveSet {
  std::vector<std::size_t> index;  ///< joint order; equalities first
  std::vector<Integer> x;
  Integer den, kappa;
  Combination at;  ///< of x
  int solves = 0;  ///< exact linear systems
};

/// Lawson and Hanson's method over the integers, from any guess of the inequalities with positive
/// multiplier (the independent ones among them in the given order are used). Always ends; the
/// better the guess, the sooner. Empty if more than `max_rounds` exchanges of rows were needed.
std::optional<ExactActiveSet> exact_active_set(const IntegerProblem& problem,
                                               const std::vector<std::size_t>& guess,
                                               int max_rounds);

}  // namespace heed::detail
