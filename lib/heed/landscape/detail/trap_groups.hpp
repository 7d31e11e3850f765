// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed::detail {

/// Residuals and the trained coordinates that they depend on: f is the sum over the groups of a
/// function of the coordinates of that group alone.
struct TrapGroup {
  std::vector<std::size_t> coordinates;
  /// (sample, row of the read-out) of its residuals; those that depend on nothing are in the first
  /// group.
  std::vector<std::pair<std::size_t, std::size_t>> rows;
};

/// The finest such groups that the zeros of X and of the read-out show where W_Q alone is trained;
/// otherwise, and if `whole` is set, one group.
std::vector<TrapGroup> trap_groups(const LandscapeProblem& problem, bool whole);

}  // namespace heed::detail
