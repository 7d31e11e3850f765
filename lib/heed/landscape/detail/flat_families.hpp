// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/landscape/detail/flat_name.hpp"
#include "heed/landscape/flat_directions.hpp"

namespace heed::detail {

/// Directions that are the same at every point where the blocks that are known exactly have their
/// values, by family.
std::vector<std::pair<std::string, std::vector<std::vector<Rational>>>> exact_flat_families(
    const LandscapeProblem& problem, const PointBox& box, FlatScope scope);

/// Directions that depend on the point, enclosed over the box.
std::vector<NamedFamily> moving_flat_families(const LandscapeProblem& problem, const PointBox& box,
                                              FlatScope scope);

}  // namespace heed::detail
