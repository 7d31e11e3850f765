// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/instance.hpp"

namespace heed {

/// A vector e != 0 with (x_s - x_r) . e = 0 for all tokens s, r of each sample, by exact elimination;
/// empty if there is none. Cost: O(N d^2) exact operations for N tokens.
std::vector<Rational> common_level_direction(const MhaInstance& instance);

}  // namespace heed
