// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/landscape/detail/token_zeros.hpp"

namespace heed::detail {

/// Limits and, if phi is constant, everything.
Landscape1d empty_landscape(const TokenProblem& problem, const TokenSums& sums);

/// Orders the zeros, classifies them, encloses their values, compares minima and limits.
void assemble(const TokenProblem& problem, const TokenSums& sums, TokenZeros zeros,
              const Landscape1dOptions& options, Landscape1d& result);

/// Infimum, `attained` and `global` of every point, from losses, kinds and limits.
void compare_losses(const TokenSums& sums, Landscape1d& result);

}  // namespace heed::detail
