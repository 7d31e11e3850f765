// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/trap.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "heed/landscape/detail/curvature_trap.hpp"
#include "heed/landscape/detail/null_space.hpp"
#include "heed/landscape/detail/trap_cover.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/landscape/non_global.hpp"
#include "heed/landscape/search.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/exact_solve.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

constexpr double curvature_tolerance = 1e-3;
constexpr int centre_digits = 12;  // of a point of small gradient in a box

void require_fits(const LandscapeProblem& problem, const TrapRegion& region,
                  const std::vector<Rational>& theta_0) {
  const std::size_t P = problem.parameters(), k = region.dimension();
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("landscape: trap: expected " + what);
  };
  require(region.origin.size() == P && theta_0.size() == P,
          "an origin and a start of " + std::to_string(P) + " trained coordinates");
  require(k > 0 && region.upper.size() == k, "as many lower as upper ends, at least one");
  for (std::size_t j = 0; j < k; ++j)
    require(region.lower[j] < region.upper[j], "lower ends below upper ends");
  require(!region.ball_radius || region.ball_radius->sign() > 0, "a ball of positive radius");
  if (region.frame.size() == 0) {
    require(k == P, "one interval for each trained coordinate, or a frame");
  } else {
    require(region.frame.rows() == P && region.frame.cols() == k,
            "a frame of one column for each interval");
    require(exact_rank(region.frame) == k, "a frame of independent columns");
  }
}

// z with origin + M z = theta; nothing if there is none.
std::optional<std::vector<Rational>> region_coordinates(const TrapRegion& region,
                                                        const std::vector<Rational>& theta) {
  std::vector<Rational> from_origin = theta;
  for (std::size_t k = 0; k < theta.size(); ++k) from_origin[k] -= region.origin[k];
  if (region.frame.size() == 0) return from_origin;
  const auto z =
      solve_exactly(gram_of_columns(region.frame), transposed_multiply(region.frame, from_origin));
  if (!z || multiply(region.frame, *z) != from_origin) return std::nullopt;
  return z;
}

bool contains(const TrapRegion& region, const std::vector<Rational>& theta) {
  const auto z = region_coordinates(region, theta);
  if (!z) return false;
  Rational squared;
  for (std::size_t k = 0; k < z->size(); ++k) {
    if ((*z)[k] < region.lower[k] || (*z)[k] > region.upper[k]) return false;
    const Rational gap = (*z)[k] - (region.lower[k] + region.upper[k]) / Rational(2);
    squared += gap * gap;
  }
  return !region.ball_radius || squared <= *region.ball_radius * *region.ball_radius;
}

// What the frame leaves out must be flat, so that gradients have no part in it.
std::string not_flat(const LandscapeProblem& problem, const TrapRegion& region,
                     std::size_t& left_out) {
  Matrix<Rational> transposed(region.frame.cols(), region.frame.rows());
  for (std::size_t r = 0; r < region.frame.rows(); ++r)
    for (std::size_t c = 0; c < region.frame.cols(); ++c) transposed(c, r) = region.frame(r, c);
  const auto complement = detail::null_space(transposed), flat = fixed_flat_space(problem);
  left_out = complement.size();
  Matrix<Rational> rows(flat.size() + complement.size(), region.frame.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto& v = r < flat.size() ? flat[r] : complement[r - flat.size()];
    std::copy(v.begin(), v.end(), rows.row(r));
  }
  if (complement.empty() || exact_rank(rows) == flat.size()) return "";
  return "the frame leaves out directions along which f is not known to be constant";
}

Ball loss_at(const LandscapeProblem& problem, const std::vector<Rational>& point) {
  return LandscapeModel(problem).at(point).loss();
}

void decide_failure(TrapResult& r, const LandscapeProblem& problem,
                    const std::optional<KernelWeights<Rational>>& witness) {
  r.witness = witness;
  std::string differs;
  if (witness) {
    differs = differing_untrained_block(problem, *witness);
    if (differs.empty()) r.witness_loss = loss_at(problem, flatten(*witness, problem.trained));
  }
  r.fails_forever =
      detail::fails_forever(r.verdict, r.region_loss, witness.has_value(), differs, r.witness_loss);
}

// A box, or a ball that its box does not cut.
bool has_centre(const TrapRegion& region) {
  if (region.frame.size() != 0) return false;
  for (std::size_t k = 0; region.ball_radius && k < region.dimension(); ++k)
    if (region.upper[k] - region.lower[k] < Rational(2) * *region.ball_radius) return false;
  return true;
}

// A point of B of small gradient, if Newton iterations find one, and its distance from the boundary.
std::optional<Rational> choose_centre(std::vector<Rational>& centre,
                                      const LandscapeProblem& problem, const TrapRegion& region) {
  centre = region.origin;
  for (std::size_t k = 0; k < centre.size(); ++k)
    centre[k] += (region.lower[k] + region.upper[k]) / Rational(2);
  if (region.ball_radius) return region.ball_radius;
  if (const auto near = approx::refine(problem, centre, {}, centre_digits)) centre = *near;
  std::optional<Rational> inner;
  for (std::size_t k = 0; k < centre.size(); ++k)
    for (const Rational& gap : {centre[k] - region.origin[k] - region.lower[k],
                                region.origin[k] + region.upper[k] - centre[k]}) {
      if (gap.sign() <= 0) return std::nullopt;
      if (!inner || gap < *inner) inner = gap;
    }
  return inner;
}

// Proves the trap by lower bounds of the Hessian, or leaves the result alone.
bool by_curvature(TrapResult& r, const LandscapeProblem& problem, const TrapRegion& region,
                  const TrapOptions& options) {
  std::vector<Rational> centre;
  if (options.scales == 0 || !has_centre(region)) return false;
  const auto inner = choose_centre(centre, problem, region);
  if (!inner) return false;
  const detail::HessianRange hessian(problem);
  std::vector<detail::CurvatureRange> ranges;
  for (std::size_t i = 1; i <= options.scales; ++i) {
    const Rational scale(static_cast<long>(i), static_cast<long>(options.scales));
    ranges.push_back(hessian.over(detail::scaled_region(region, centre, scale)));
    if (!std::isfinite(ranges.back().least)) return false;
  }
  const detail::CurvatureRange whole = ranges.back();
  const detail::CurvatureBounds b =
      detail::curvature_bounds(problem, centre, *inner, std::move(ranges));
  const Ball curvature(whole.norm()), limit = (Ball(2) / curvature).lower();
  if (!b.applies || !certainly(less(r.start_loss, b.boundary)) || !limit.is_finite()) return false;
  r.verdict.kind = VerdictKind::proved;
  r.verdict.bits = working_precision();
  r.route = TrapRoute::curvature;
  r.boundary_loss = b.boundary;
  r.region_loss = b.region;
  r.curvature = curvature;
  r.step_limit = limit;
  r.centre = std::move(centre);
  r.scales = b.ranges.size();
  r.convex = whole.least > 0;
  r.one_minimum = b.one_minimum;
  return true;
}

// The bounds of f and of its Hessian on B from those of the groups.
void cover(TrapResult& r, const LandscapeProblem& problem, const TrapRegion& region,
           const TrapOptions& options) {
  detail::TrapCover cover(problem, region, options);
  const double start = DoubleBall(r.start_loss).upper();
  const auto groups = static_cast<double>(cover.groups().size());
  const double tolerance = options.tolerance * std::max(start, 0x1p-100) / groups;
  std::vector<detail::CoverBound> inner;
  Ball region_loss;
  double curvature = 0;
  for (const detail::TrapGroup& group : cover.groups()) {
    inner.push_back(cover.infimum(group, tolerance));
    region_loss += Ball(inner.back().bound);
    curvature = std::max(curvature, cover.curvature(group, curvature_tolerance).bound);
  }
  r.region_loss = region_loss.lower();
  r.curvature = Ball(curvature);
  r.step_limit = (Ball(2) / r.curvature).lower();
  std::optional<Ball> boundary;
  bool crossed = false;
  for (std::size_t k = 0; k < inner.size(); ++k) {
    Ball others, others_reached;
    for (std::size_t j = 0; j < inner.size(); ++j) {
      if (j == k) continue;
      others += Ball(inner[j].bound);
      others_reached += Ball(inner[j].attained);
    }
    const auto faces = cover.boundary_infimum(cover.groups()[k], tolerance,
                                              DoubleBall(r.start_loss - others).upper());
    const Ball here = others + Ball(faces.bound);
    boundary = boundary ? min(*boundary, here) : here;
    crossed = crossed || certainly(less_equal(others_reached + Ball(faces.attained), r.start_loss));
  }
  r.boundary_loss = boundary->lower();
  r.cells = cover.cells();
  r.verdict.bits = working_precision();
  if (!certainly(less(r.start_loss, r.boundary_loss))) {
    r.verdict.kind = crossed ? VerdictKind::refuted : VerdictKind::undecided;
    r.verdict.reason = crossed ? "a point of the boundary has a loss of at most f(theta_0)"
                               : "f is not proved to exceed f(theta_0) on the boundary of B";
  } else if (!r.curvature.is_finite() || !r.step_limit.is_finite()) {
    r.verdict.kind = VerdictKind::undecided;
    r.verdict.reason = "no bound of the Hessian on B was proved";
  } else {
    r.verdict.kind = VerdictKind::proved;
    r.route = TrapRoute::cover;
  }
}

}  // namespace

TrapRegion TrapRegion::box(std::vector<Rational> lower, std::vector<Rational> upper) {
  std::vector<Rational> origin(lower.size());
  return {std::move(origin), {}, std::move(lower), std::move(upper), {}};
}

TrapRegion TrapRegion::ball(const std::vector<Rational>& centre, const Rational& radius) {
  const std::size_t n = centre.size();
  return {centre, {}, std::vector<Rational>(n, -radius), std::vector<Rational>(n, radius), radius};
}

const char* to_string(TrapRoute route) {
  switch (route) {
    case TrapRoute::curvature:
      return "curvature";
    case TrapRoute::cover:
      return "cover";
    case TrapRoute::none:
      break;
  }
  return "none";
}

TrapResult certify_trap(const LandscapeProblem& problem, const TrapRegion& region,
                        const std::vector<Rational>& theta_0,
                        const std::optional<KernelWeights<Rational>>& witness,
                        const TrapOptions& options) {
  require_fits(problem, region, theta_0);
  const PrecisionScope precision(options.bits);
  TrapResult r;
  r.verdict.bits = options.bits;
  r.start_loss = loss_at(problem, theta_0);
  const std::string orbit = detail::unbounded_orbit(problem);
  std::size_t left_out = 0;
  const std::string bent = region.frame.size() == 0 ? "" : not_flat(problem, region, left_out);
  if (!orbit.empty() || !bent.empty()) {
    r.verdict.kind = VerdictKind::not_applicable;
    r.verdict.reason = orbit.empty() ? bent : orbit;
  } else if (!contains(region, theta_0)) {
    r.verdict.kind = VerdictKind::refuted;
    r.verdict.reason = "theta_0 is not in B";
  } else {
    if (left_out > 0)
      r.notes.push_back("B leaves out " + std::to_string(left_out) +
                        " flat directions, along which gradients vanish");
    if (!by_curvature(r, problem, region, options)) cover(r, problem, region, options);
  }
  decide_failure(r, problem, witness);
  return r;
}

bool is_trapped_step(const TrapResult& trap, const Rational& eta) {
  return trap.verdict.kind == VerdictKind::proved && eta.sign() > 0 &&
         certainly(less(Ball(eta), trap.step_limit));
}

}  // namespace heed
