// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/curvature_trap.hpp"

#include <cmath>

#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::detail {

CurvatureBounds curvature_bounds(const LandscapeProblem& problem,
                                 const std::vector<Rational>& centre, const Rational& inner,
                                 std::vector<CurvatureRange> ranges) {
  CurvatureBounds b;
  const KernelModel<Ball> model = LandscapeModel(problem).at(centre);
  b.centre_loss = model.loss();
  const std::vector<Ball> g = flatten(model.gradient(problem.trained), problem.trained);
  b.slope = sqrt_nonnegative(squared_norm(g)).upper();
  b.ranges = std::move(ranges);
  const auto k = static_cast<long>(b.ranges.size());
  for (long i = 1; i <= k; ++i) {
    const double least = b.ranges[static_cast<std::size_t>(i - 1)].least;
    if (!std::isfinite(least)) return b;
    const Rational from(k - i + 1, k), to(k - i, k);
    b.mean += Ball(least) * Ball(from * from - to * to);
    b.plain_mean += Ball(least) / Ball(k);
  }
  b.mean = b.mean.lower();
  b.plain_mean = b.plain_mean.lower();
  const Ball delta(inner);
  b.applies = certainly(positive(b.mean)) && certainly(less(b.slope, delta * b.mean)) &&
              b.centre_loss.is_finite();
  if (!b.applies) return b;
  b.region = (b.centre_loss - square(b.slope) / (Ball(2) * b.mean)).lower();
  b.boundary = (b.centre_loss - b.slope * delta + b.mean * square(delta) / Ball(2)).lower();
  b.one_minimum =
      b.ranges.front().least > 0 && certainly(less(b.slope, delta * b.plain_mean / Ball(k)));
  return b;
}

ScaledRegion scaled_region(const TrapRegion& region, const std::vector<Rational>& centre,
                           const Rational& scale) {
  ScaledRegion part;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    const Rational& c = centre[k];
    const Rational radius = region.ball_radius.value_or(Rational());
    const Rational lower = region.ball_radius ? c - radius : region.origin[k] + region.lower[k];
    const Rational upper = region.ball_radius ? c + radius : region.origin[k] + region.upper[k];
    part.lower.push_back(c + scale * (lower - c));
    part.upper.push_back(c + scale * (upper - c));
  }
  return part;
}

std::string unbounded_orbit(const LandscapeProblem& problem) {
  const auto trains = [&](KernelBlock a, KernelBlock b) {
    return problem.trained.contains(a) && problem.trained.contains(b);
  };
  if (problem.kernel == AttentionKernel::softmax && trains(KernelBlock::query, KernelBlock::key))
    return "W_Q and W_K are trained together: f is constant on a connected unbounded set through "
           "every point, which meets every boundary";
  if (trains(KernelBlock::value, KernelBlock::output))
    return "W_V and W_O are trained together: f is constant on a connected unbounded set through "
           "every point, which meets every boundary";
  return "";
}

Verdict fails_forever(const Verdict& trap, const Ball& region_loss, bool has_witness,
                      const std::string& differs, const Ball& witness_loss) {
  Verdict v;
  v.kind = VerdictKind::undecided;
  v.bits = working_precision();
  if (!has_witness) {
    v.reason = "no witness of a lower loss was given";
  } else if (!differs.empty()) {
    v.kind = VerdictKind::not_applicable;
    v.reason = "the witness differs in " + differs + ", which is not trained";
  } else if (trap.kind != VerdictKind::proved) {
    v.reason = "the trap is not proved";
  } else if (certainly(less(witness_loss, region_loss))) {
    v.kind = VerdictKind::proved;
  } else {
    v.reason = "the loss of the witness is not proved to lie below f on all of B";
  }
  return v;
}

}  // namespace heed::detail
