// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_trap.hpp"

namespace heedcheck {

// The field `trap` of a trap by curvature: a ball around the centre or a box, of all trained
// coordinates, and a start or a ball of starts.
struct CurvatureTrap {
  Rationals centre, lower, upper;  // of a ball: the box around it
  std::optional<mpq_class> radius, start_radius;
  Rationals theta_0;  // unless start_radius
  mpq_class eta;
  std::size_t scales = 0;

  // The distance of the centre from the boundary.
  mpq_class inner() const;
};
bool is_by_curvature(const Value& trap);
CurvatureTrap read_curvature_trap(const Value& trap, const Layer& layer);

struct CurvatureTrapBounds : TrapBounds {
  bool one_minimum = false;  // exactly one stationary point in B, a minimum
};

// Throws Invalid unless theorem L8 of section 7.5 applies.
CurvatureTrapBounds prove_curvature_trap(const Model<Interval>& model, const CurvatureTrap& trap);

}  // namespace heedcheck
