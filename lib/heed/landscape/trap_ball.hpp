// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

struct TrapBallOptions {
  int scales = 8;        ///< to the radius at which f may stop being convex
  int most_scales = 64;  ///< in all
  int bits = 128;        ///< for f and its gradient at the centre
};

/// landscape.trap for a whole ball of starts: B = { |theta - c| <= radius } (within the plane c + Z^perp
/// if f is constant along Z). Exact full-batch gradient descent on f with any step eta < step_limit,
/// from any theta_0 with |theta_0 - c| <= start_radius (the part of theta_0 - c in Z does not count),
/// stays in B, f_t never increases and f_t >= region_loss. Where `one_minimum`, it converges to the
/// only stationary point in B; where `convex`, linearly for eta <= step_limit / 2.
struct TrapBall {
  /// proved; undecided: no such ball was found; not_applicable: with the reason. Never refuted.
  Verdict verdict;
  std::vector<Rational> centre;
  Rational radius, start_radius;
  std::size_t scales = 0;  ///< k: Hessians over balls of radius i/k radius prove it
  std::vector<std::vector<Rational>> flat;  ///< a basis of Z
  Ball start_loss;                          ///< upper bound of f on the starts
  Ball boundary_loss;                       ///< lower bound of f on the boundary of B
  Ball region_loss;                         ///< lower bound of f on B
  Ball least_curvature;                     ///< lower bound of the Hessian on B, across Z
  Ball curvature;                           ///< upper bound of |Hess| on B: L
  Ball step_limit;                          ///< lower bound of 2 / L
  bool convex = false, one_minimum = false;

  /// "fails forever": a witness has a lower loss than all of B.
  Verdict fails_forever;
  std::optional<KernelWeights<Rational>> witness;
  Ball witness_loss;
};

/// The largest ball around a local minimum, nearly, that is proved to be a trap by lower bounds of the
/// Hessian over concentric balls, in any number of coordinates: beyond it the bound of f on the
/// boundary no longer grows. `minimum`: centre and frozen coordinates of a certified point; nothing
/// rests on what is known of it.
/// Not applicable: blocks that no bounded region holds (see certify_trap), and frozen coordinates
/// unless they are as many as the fixed flat directions.
/// Not guaranteed: that the ball is nearly as large as the basin. Hessians are enclosed over the box
/// around a ball, which loses about the root of the number of coordinates.
/// Errors: std::invalid_argument if the box does not fit. Cost: some 30 Hessians in enclosures in double.
/// Note: proofs-notes/landscape.md, "Traps by curvature".
TrapBall widest_trap(const LandscapeProblem& problem, const PointBox& minimum,
                     const std::optional<KernelWeights<Rational>>& witness = {},
                     const TrapBallOptions& options = {});

/// True if eta < 2 / L is proved, for eta > 0.
bool is_trapped_step(const TrapBall& trap, const Rational& eta);

}  // namespace heed
