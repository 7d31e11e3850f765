// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_point.hpp"

namespace heedcheck {

// One direction of the field `gauge`, as the file has it.
struct Direction {
  enum class Kind { shift, turn, mix, unseen };
  Kind kind = Kind::shift;
  std::size_t head = 0;  // not of a shift
  Rationals numbers;     // shift: t; turn, mix: B; unseen: u
  Rationals E = {};      // of a turn; empty: the identity
  // unseen
  Block block = W_Q;
  std::vector<std::size_t> pivots = {};
  std::size_t free = 0;
};

// The direction at all points of the box. Throws Invalid unless it meets its conditions (section
// 7.4); those of a shift are `is_flat` and not looked at.
std::vector<Interval> direction_over(const PointBox& box, const Layer& layer,
                                     const Direction& direction);

}  // namespace heedcheck
