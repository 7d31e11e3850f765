// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_matrix.hpp"
#include "landscape_model.hpp"

namespace heedcheck {

// All theta with theta_k = centre_k where k is frozen, |theta_k - centre_k| <= radius where it is free.
struct PointBox {
  Rationals centre;
  mpq_class radius;  // 0: the centre alone
  std::vector<std::size_t> frozen, free;
};

// Intervals around the coordinates of the box.
std::vector<Interval> enclose(const PointBox& box);

// The Hessian of f by the free coordinates, for all points of the box.
IntervalMatrix hessian(const Model<Interval>& model, const PointBox& box);

// Each throws Invalid unless its theorem of section 7.5 applies: L1 (exactly one zero of the gradient
// by the free coordinates in the box; A: their order squared), L3, L4 with H from `hessian`.
void prove_isolated_zero(const Model<Interval>& model, const PointBox& box, const Rationals& A,
                         const IntervalMatrix& H);
// Returns f(centre).
mpq_class prove_exactly_stationary(const Layer& layer, const Rationals& centre);
void prove_minimum(const IntervalMatrix& H);
void prove_curvature_sign(const IntervalMatrix& H, const Rationals& direction, bool positive,
                          const std::string& what);
void prove_index(const IntervalMatrix& H, const Rationals& V, std::size_t index);

}  // namespace heedcheck
