// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/trap_ball.hpp"

#include <algorithm>
#include <cmath>

#include "heed/landscape/detail/curvature_trap.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/landscape/non_global.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

constexpr int radius_bits = 10;       // of a radius, after its leading one
constexpr int largest_exponent = 20;  // of a radius that is tried
constexpr int least_exponent = -60;
constexpr double flat_enough =
    0x1p-20;  // part of the bound at the boundary that starts leave unused

Rational dyadic(double x, int bits) { return detail::round_relative(Rational(x), bits); }

// Hessians over balls around one point.
class Balls {
 public:
  Balls(const LandscapeProblem& problem, std::vector<Rational> centre,
        const std::vector<std::vector<Rational>>& flat)
      : range_(problem, flat), centre_(std::move(centre)) {}

  detail::CurvatureRange over(const Rational& radius) const {
    return range_.over(
        detail::scaled_region(TrapRegion::ball(centre_, radius), centre_, Rational(1)));
  }

 private:
  detail::HessianRange range_;
  std::vector<Rational> centre_;
};

// About the largest radius over which the Hessian is bounded below by a positive number; 0 if none is.
double convex_radius(const Balls& balls) {
  const auto is_convex = [&](double r) { return balls.over(Rational(r)).least > 0; };
  int e = -2;
  if (is_convex(std::ldexp(1, e))) {
    while (e < largest_exponent && is_convex(std::ldexp(1, e + 1))) ++e;
  } else {
    do --e;
    while (e > least_exponent && !is_convex(std::ldexp(1, e)));
    if (e == least_exponent) return 0;
  }
  double low = std::ldexp(1, e), high = 2 * low;
  for (int k = 0; k < 4; ++k) {
    const double middle = (low + high) / 2;
    (is_convex(middle) ? low : high) = middle;
  }
  return low;
}

Rational scaled(const detail::CurvatureBounds& b, std::size_t i) {
  return {static_cast<long>(i) + 1, static_cast<long>(b.ranges.size())};
}

// The largest rho, nearly, with slope rho + most rho^2 / 2 below what the boundary has to spare.
Rational start_radius(const detail::CurvatureBounds& b, const Rational& radius) {
  const double spare = approx::to_double(b.boundary - b.centre_loss) * (1 - flat_enough);
  const double slope = approx::to_double(b.slope);
  Rational best;
  for (std::size_t i = 0; i < b.ranges.size(); ++i) {
    const double most = std::max(b.ranges[i].most, 0x1p-1000);
    const double root = 2 * spare / (slope + std::sqrt(slope * slope + 2 * most * spare));
    if (!(root > 0 && root < 0x1p1000)) continue;
    Rational rho = std::min(dyadic(root * (1 - 0x1p-12), 12), scaled(b, i) * radius);
    best = std::max(best, rho);
  }
  return best;
}

// An upper bound of f within rho of the centre.
Ball loss_within(const detail::CurvatureBounds& b, const Rational& radius, const Rational& rho) {
  std::size_t i = 0;
  while (scaled(b, i) * radius < rho) ++i;
  const Ball r(rho), most(std::max(b.ranges[i].most, 0.0));
  return (b.centre_loss + b.slope * r + most * square(r) / Ball(2)).upper();
}

void find(TrapBall& t, const LandscapeProblem& problem, const TrapBallOptions& options) {
  t.verdict.kind = VerdictKind::undecided;
  const Balls balls(problem, t.centre, t.flat);
  const double convex = convex_radius(balls);
  if (!(convex > 0)) {
    t.verdict.reason = "the Hessian is not proved positive definite over any ball around the point";
    return;
  }
  const Rational step = dyadic(convex / options.scales, radius_bits);
  std::vector<detail::CurvatureRange> ranges;
  double growth = 0;
  while (static_cast<int>(ranges.size()) < options.most_scales) {
    const auto range = balls.over(step * Rational(static_cast<long>(ranges.size()) + 1));
    growth += range.least;
    if (!(growth > 0) || !std::isfinite(range.most)) break;
    ranges.push_back(range);
  }
  if (ranges.empty()) {
    t.verdict.reason = "the Hessian is not finite over small balls around the point";
    return;
  }
  const long count = static_cast<long>(ranges.size());
  t.radius = step * Rational(count);
  t.scales = ranges.size();
  const detail::CurvatureRange whole = ranges.back();
  const detail::CurvatureBounds b =
      detail::curvature_bounds(problem, t.centre, t.radius, std::move(ranges));
  if (!b.applies) {
    t.verdict.reason = "the gradient at the centre is too large for a ball around it";
    return;
  }
  t.start_radius = start_radius(b, t.radius);
  if (t.start_radius.sign() == 0) {
    t.verdict.reason = "f is not proved to grow towards the boundary of a ball around the point";
    return;
  }
  t.start_loss = loss_within(b, t.radius, t.start_radius);
  t.boundary_loss = b.boundary;
  t.region_loss = b.region;
  t.least_curvature = Ball(whole.least);
  t.curvature = Ball(whole.norm());
  t.step_limit = (Ball(2) / t.curvature).lower();
  t.convex = whole.least > 0;
  t.one_minimum = b.one_minimum;
  if (certainly(less(t.start_loss, t.boundary_loss)) && t.step_limit.is_finite() &&
      certainly(positive(t.step_limit)))
    t.verdict.kind = VerdictKind::proved;
  else
    t.verdict.reason = "f is not proved to exceed f(theta_0) on the boundary of B";
}

}  // namespace

TrapBall widest_trap(const LandscapeProblem& problem, const PointBox& minimum,
                     const std::optional<KernelWeights<Rational>>& witness,
                     const TrapBallOptions& options) {
  require_fits(problem, minimum);
  const PrecisionScope precision(options.bits);
  TrapBall t;
  t.verdict.bits = options.bits;
  t.centre = minimum.centre;
  t.verdict.reason = detail::unbounded_orbit(problem);
  if (t.verdict.reason.empty() && !minimum.frozen.empty()) {
    t.flat = fixed_flat_space(problem);
    if (t.flat.size() != minimum.frozen.size())
      t.verdict.reason =
          "coordinates of the point are frozen along flat directions that move with it";
  }
  if (!t.verdict.reason.empty()) {
    t.verdict.kind = VerdictKind::not_applicable;
    t.flat.clear();
  } else {
    find(t, problem, options);
  }
  t.witness = witness;
  std::string differs;
  if (witness) {
    differs = differing_untrained_block(problem, *witness);
    if (differs.empty())
      t.witness_loss = LandscapeModel(problem).at(flatten(*witness, problem.trained)).loss();
  }
  t.fails_forever =
      detail::fails_forever(t.verdict, t.region_loss, witness.has_value(), differs, t.witness_loss);
  return t;
}

bool is_trapped_step(const TrapBall& trap, const Rational& eta) {
  return trap.verdict.kind == VerdictKind::proved && eta.sign() > 0 &&
         certainly(less(Ball(eta), trap.step_limit));
}

}  // namespace heed
