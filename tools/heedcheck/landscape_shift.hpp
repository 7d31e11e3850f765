// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_point.hpp"

namespace heedcheck {

// Whether the shift t meets the conditions of section 7.4 in every head; frozen_counts: blocks that are
// frozen as a whole are known too, and f is constant along t at the box alone.
bool is_flat(const Rationals& t, const Layer& layer, const PointBox& box, bool frozen_counts);

}  // namespace heedcheck
