// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// A compact convex set B of trained coordinates: { origin + M z : lower <= z <= upper }, cut with the
/// ball |z - z_c| <= ball_radius around the middle z_c of the box if that is given.
struct TrapRegion {
  std::vector<Rational> origin;        ///< all trained coordinates
  Matrix<Rational> frame;              ///< M: parameters x k, of rank k; empty: the identity
  std::vector<Rational> lower, upper;  ///< k numbers each, lower < upper
  std::optional<Rational> ball_radius;

  std::size_t dimension() const { return lower.size(); }
  /// { lower <= theta <= upper } and { |theta - centre| <= radius }, of all trained coordinates.
  static TrapRegion box(std::vector<Rational> lower, std::vector<Rational> upper);
  static TrapRegion ball(const std::vector<Rational>& centre, const Rational& radius);
};

struct TrapOptions {
  double tolerance = 1e-4;      ///< bounds are refined to this relative to the scale of f(theta_0)
  std::size_t cells = 200'000;  ///< largest number of cells of a cover
  int bits = 128;               ///< for what is evaluated in balls
  std::size_t scales = 16;      ///< Hessians for the route by curvature; 0: not tried
};

/// How a trap was proved. curvature: lower bounds of the Hessian over copies of B that shrink to a point
/// c in it, in any number of coordinates. cover: bounds over cells of B and of its boundary.
enum class TrapRoute { none, curvature, cover };
const char* to_string(TrapRoute route);

/// landscape.trap. B compact and convex, theta_0 in B, f(theta_0) < f on the boundary of B, L >= |Hess|
/// on B, eta < 2 / L: every iterate of exact full-batch gradient descent on f stays in B, and
/// f_t >= inf_B f. Training with loss f/N at rate eta' is eta = eta'/N.
struct TrapResult {
  /// proved; undecided: the cover did not settle it; refuted: theta_0 is not in B, or a boundary point
  /// with f <= f(theta_0) was found; not_applicable: with the reason.
  Verdict verdict;
  TrapRoute route = TrapRoute::none;
  Ball start_loss;                 ///< f(theta_0)
  Ball boundary_loss;              ///< lower bound of f on the boundary of B, as a point
  Ball region_loss;                ///< lower bound of f on B
  Ball curvature;                  ///< upper bound of |Hess| on B: L
  Ball step_limit;                 ///< lower bound of 2 / L: every smaller eta is trapped
  std::size_t cells = 0;           ///< evaluated, over all covers
  std::vector<std::string> notes;  ///< such as the flat directions that B leaves out

  /// By curvature: c, and the number k of copies c + i/k (B - c).
  std::vector<Rational> centre;
  std::size_t scales = 0;
  /// Proved by curvature: f is convex on B (descent converges linearly for eta <= 1 / L); B holds exactly
  /// one stationary point, to which descent converges.
  bool convex = false, one_minimum = false;

  /// "fails forever": only with a witness of a lower loss than all of B.
  Verdict fails_forever;
  std::optional<KernelWeights<Rational>> witness;
  Ball witness_loss;
};

/// By curvature first (a frame, or a ball that the box cuts, excepted), then by a cover.
/// Not applicable where softmax W_Q and W_K, or W_V and W_O, are trained together: f is constant on a
/// connected unbounded set through every point, which meets every boundary.
/// A frame with fewer columns than parameters needs: the orthogonal complement of its columns consists
/// of flat directions (see fixed_flat_space), which gradient descent does not move along.
/// Errors: std::invalid_argument for shapes that do not fit, and rank M < k.
/// Note: proofs-notes/landscape.md.
TrapResult certify_trap(const LandscapeProblem& problem, const TrapRegion& region,
                        const std::vector<Rational>& theta_0,
                        const std::optional<KernelWeights<Rational>>& witness = {},
                        const TrapOptions& options = {});

/// True if eta < 2 / L is proved, for eta > 0.
bool is_trapped_step(const TrapResult& trap, const Rational& eta);

}  // namespace heed
