// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/landscape/detail/flat_name.hpp"
#include "heed/landscape/flat_directions.hpp"

namespace heed::detail {

/// The verdict of `transversality` and, if it is proved, the directions on which it rests: as many as
/// there are frozen coordinates.
struct Transversal {
  Verdict verdict;
  std::vector<FlatName> directions;
};
Transversal prove_transversal(const LandscapeProblem& problem, const PointBox& box,
                              FlatScope scope);

}  // namespace heed::detail
