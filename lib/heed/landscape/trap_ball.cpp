// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/trap_ball.hpp"

#include <algorithm>
#include <cmath>

#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/detail/ray_curvature.hpp"
#include "heed/landscape/detail/trap_words.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/landscape/non_global.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

constexpr int radius_bits = 8, start_bits = 12;             // of radii, after the leading one
constexpr int least_exponent = -60, largest_exponent = 20;  // of a radius that is tried
constexpr long cells_of_guess = 8;  // of the radius by the series, where coordinates are separate
constexpr std::size_t most_cells = 160;
constexpr double spared = 1 - 0x1p-16;  // part of the bound at the boundary that starts use

double upper(const Ball& x) { return DoubleBall(x).upper(); }

// One of the two ways to bound the Hessian over balls around a point.
struct Method {
  const LandscapeProblem& problem;
  const std::vector<Rational>& centre;
  const detail::FlatBasis& flat;
  std::size_t scales;  // 0: the series

  std::unique_ptr<detail::RayCurvature> over(const Rational& radius) const {
    const TrapRegion ball = TrapRegion::ball(centre, radius);
    return scales == 0 ? detail::series_curvature(problem, ball, centre, flat)
                       : detail::interval_curvature(problem, ball, centre, scales, flat);
  }
  // How much f grows to the boundary; 0 if it is not proved to grow.
  double gain(double radius) const {
    const double g = over(Rational(radius))->mean() * radius * radius;
    return g > 0 && std::isfinite(g) ? g : 0;
  }
};

// About the radius of the largest gain, from a first guess; 0 if there is none.
double best_radius(const Method& method, double guess) {
  double radius = guess, gain = method.gain(radius);
  while (gain == 0 && radius > std::ldexp(1, least_exponent)) {
    radius /= 8;
    gain = method.gain(radius);
  }
  if (gain == 0) return 0;
  for (const double factor : {2.0, 1.5, 1.2, 0.85}) {
    while (radius < std::ldexp(1, largest_exponent)) {
      const double other = method.gain(radius * factor);
      if (!(other > gain)) break;
      gain = other;
      radius *= factor;
    }
  }
  // A little smaller, if only there B is proved to hold no other stationary point.
  for (double smaller = radius; smaller > radius / 2; smaller *= 0.9)
    if (method.over(Rational(smaller))->plain_mean() > 0) return smaller;
  return radius;
}

// The largest part s of the radius, nearly, such that f is below the boundary within s radius.
double start_share(const detail::CurvatureBounds& b, const detail::RayCurvature& curvature,
                   double radius) {
  const double spare = approx::to_double(b.boundary - b.centre_loss) * spared,
               slope = upper(b.slope) * radius;
  const auto root = [&](double most) {
    const double k = std::max(most, 0.0) * radius * radius;
    return 2 * spare / (slope + std::sqrt(slope * slope + 2 * k * spare));
  };
  double low = std::min(1.0, root(curvature.most_mean_within(1)));
  if (!(low > 0)) return 0;
  double high = std::min(1.0, root(curvature.most_mean_within(low)));
  for (int k = 0; k < 6 && high > low; ++k) {
    const double middle = (low + high) / 2;
    (root(curvature.most_mean_within(middle)) >= middle ? low : high) = middle;
  }
  return low;
}

void find(TrapBall& t, const Method& method, const Rational& radius) {
  t.verdict.kind = VerdictKind::undecided;
  t.verdict.reason = "f is not proved to grow towards the boundary of any ball around the point";
  if (radius.sign() <= 0) return;
  t.radius = radius;
  t.scales = method.scales;
  const auto curvature = method.over(t.radius);
  const detail::CurvatureBounds b =
      detail::curvature_bounds(method.problem, t.centre, t.radius, *curvature);
  if (!b.applies) return;
  const double share = start_share(b, *curvature, t.radius.nearest_double());
  if (!(share > 0)) return;
  // Rounded down, so that it stays below share.
  t.start_radius =
      detail::round_relative(Rational(share) * t.radius, start_bits) * Rational(4095, 4096);
  const detail::CurvatureRange whole = curvature->whole();
  const Ball rho(t.start_radius), most(std::max(curvature->most_mean_within(share), 0.0));
  t.start_loss = (b.centre_loss + b.slope * rho + most * square(rho) / Ball(2)).upper();
  t.boundary_loss = b.boundary;
  t.region_loss = b.region;
  t.least_curvature = Ball(whole.least);
  t.curvature = Ball(whole.norm());
  t.step_limit = (Ball(2) / t.curvature).lower();
  t.convex = whole.least > 0;
  t.one_minimum = b.one_minimum;
  if (certainly(less(t.start_loss, t.boundary_loss)) && t.step_limit.is_finite() &&
      certainly(positive(t.step_limit)) && t.start_radius <= Rational(share) * t.radius) {
    t.verdict.kind = VerdictKind::proved;
    t.verdict.reason.clear();
  }
}

// By both methods; the one with more starts.
void find(TrapBall& t, const LandscapeProblem& problem, double share) {
  detail::FlatBasis flat;
  for (const auto& z : t.flat) {
    flat.emplace_back();
    for (const Rational& x : z) flat.back().emplace_back(x);
  }
  const auto search = [&](TrapBall& ball, const Method& method, double guess) {
    const double best = best_radius(method, guess);
    find(ball, method,
         best > 0 ? detail::round_relative(Rational(best * share), radius_bits) : Rational());
  };
  double guess = 0x1p-4;
  if (problem.parameters() <= detail::most_of_series) {
    search(t, Method{problem, t.centre, flat, 0}, guess);
    if (t.verdict.kind == VerdictKind::proved) guess = t.radius.nearest_double();
  }
  TrapBall other = t;
  if (detail::is_separate(problem)) {
    const Rational step = detail::round_relative(Rational(guess) / Rational(cells_of_guess), 3);
    const std::size_t k = static_cast<std::size_t>(
        share * static_cast<double>(detail::growing_cells(problem, t.centre, step, most_cells)));
    find(other, Method{problem, other.centre, flat, std::max<std::size_t>(k, 1)},
         Rational(static_cast<long>(k)) * step);
  } else {
    search(other, Method{problem, other.centre, flat, detail::scales}, guess);
  }
  const bool better = t.verdict.kind != VerdictKind::proved || other.start_radius > t.start_radius;
  if (other.verdict.kind == VerdictKind::proved && better) t = std::move(other);
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
    find(t, problem, std::clamp(options.share, 0x1p-10, 1.0));
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
