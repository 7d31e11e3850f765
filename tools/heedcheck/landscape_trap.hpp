// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "landscape_model.hpp"

namespace heedcheck {

// The field `trap`: a box of all trained coordinates.
struct Trap {
  Rationals lower, upper, theta_0;
  mpq_class eta, tolerance;
  std::size_t cells = 0;
};
Trap read_trap(const Value& value, const Layer& layer);
// A fraction of the field `trap`; malformed unless it is positive.
mpq_class positive_part(const Value& trap, const char* name);

// What was proved; f(theta_0) < boundary.
struct TrapBounds {
  mpq_class start_hi;     // f(theta_0) <= start_hi
  mpq_class boundary_lo;  // f >= boundary_lo on the boundary of the box
  mpq_class region_lo;    // f >= region_lo on the box
};

// Throws Invalid unless theorem L6 of section 7.5 applies.
TrapBounds prove_trap(const Layer& layer, const Model<Interval>& model, const Trap& trap);

}  // namespace heedcheck
