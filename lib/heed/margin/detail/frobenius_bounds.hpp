// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <optional>
#include <vector>

#include "heed/margin/detail/integer_rows.hpp"

namespace heed::detail {

struct FrobeniusBounds {
  Rational lo, hi;
};

/// What multipliers x (integers of any common scale, >= 0 for inequalities) with M = sum x_k a_k z^T
/// prove about min ||W||_F^2 of the original problem (theorem T1), rounded outward to `bits` bits;
/// nothing if M does not separate. Precondition: `at` belongs to x, and M meets the equalities.
std::optional<FrobeniusBounds> frobenius_bounds(const IntegerProblem& problem,
                                                const std::vector<std::size_t>& index,
                                                const std::vector<Integer>& x,
                                                const Combination& at, int bits);

}  // namespace heed::detail
