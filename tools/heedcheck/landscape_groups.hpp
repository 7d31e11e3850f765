// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_model.hpp"

namespace heedcheck {

// Residuals, and coordinates that hold all those on which they depend: f is the sum over the groups of
// a function of the coordinates of the group. Groups share no coordinate (section 7.5, L6).
struct Group {
  std::vector<std::size_t> coordinates;
  Residuals residuals;
};

// One group unless W_Q alone is trained; then what the zeros of X and U keep apart. A group may have
// no coordinates.
std::vector<Group> groups_of(const Layer& layer);

}  // namespace heedcheck
