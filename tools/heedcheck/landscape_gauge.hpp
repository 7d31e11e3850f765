// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_field.hpp"

namespace heedcheck {

// Whether a zero of the gradient by the free coordinates speaks of all coordinates near it.
enum class Gauge {
  none,     // nothing is frozen
  nearby,   // the flat directions hold around the point: a minimum of the slice is one of all
  at_point  // at the point alone
};

std::vector<Direction> read_gauge(const Value& gauge, const Layer& layer, const PointBox& box);

// Proves that the directions are flat and that they reach every frozen coordinate over the whole box
// (section 7.5, L2). Throws Invalid.
Gauge prove_transversal(const std::vector<Direction>& gauge, const Layer& layer,
                        const PointBox& box);

}  // namespace heedcheck
