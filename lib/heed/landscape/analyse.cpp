// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/analyse.hpp"

#include <algorithm>

#include "heed/landscape/detail/dyadic.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

constexpr int frozen_bits = 20;    // of frozen coordinates of a candidate, after the binary point
constexpr int snapping_bits = 10;  // points of rational attention are looked for on this grid
constexpr double nearly_zero = 1e-15;  // a loss that is taken for 0 in words only
constexpr int spare_digits = 5;        // of a centre beyond its radius

PointKind kind_of(const CurvatureResults& c) {
  if (c.minimum.verdict.kind == VerdictKind::proved) {
    if (!c.minimum.of_all) return PointKind::minimum_in_slice;
    return c.minimum.gauged ? PointKind::minimum_modulo_gauge : PointKind::strict_minimum;
  }
  if (c.saddle.verdict.kind == VerdictKind::proved) return PointKind::saddle;
  if (c.not_minimum.verdict.kind == VerdictKind::proved) return PointKind::not_minimum;
  return PointKind::stationary;
}

void take_curvature(PointReport& report, const LandscapeProblem& problem) {
  report.curvature = certify_curvature(problem, report.box);
  report.kind = kind_of(report.curvature);
  report.reason = report.kind == PointKind::stationary
                      ? "the Hessian has no eigenvalue proved negative and is not proved positive "
                        "definite"
                      : "";
}

// Rises the precision until the point is certified or the budget ends.
void certify_box(PointReport& report, const LandscapeProblem& problem,
                 const LandscapeOptions& options) {
  for (int bits = options.bits; bits <= options.max_bits; bits *= 2) {
    const PrecisionScope precision(bits);
    report.bits = bits;
    report.stationary = certify_stationary(problem, report.box);
    if (report.stationary.verdict.kind != VerdictKind::proved) {
      report.reason = report.stationary.verdict.reason;
      if (report.stationary.verdict.kind == VerdictKind::not_applicable) return;
      continue;
    }
    take_curvature(report, problem);
    if (report.kind != PointKind::stationary) return;
  }
}

// The centre, or a point of the grid close by, with rational attention and a gradient of exactly 0.
void certify_exactly(PointReport& report, const LandscapeProblem& problem,
                     const LandscapeOptions& options, bool snap) {
  std::vector<Rational> snapped = report.box.centre;
  for (Rational& x : snapped) {
    const Rational grid = detail::round_binary(x, snapping_bits);
    if (snap && abs(grid - x) <= options.radius) x = grid;
  }
  ExactStationaryResult exact = certify_stationary_exact(problem, snapped);
  if (exact.verdict.kind != VerdictKind::proved) return;
  report.exact = std::move(exact);
  if (report.kind != PointKind::unknown) return;
  report.box = {std::move(snapped), Rational(0), {}};
  const PrecisionScope precision(options.bits);
  report.bits = options.bits;
  take_curvature(report, problem);
}

void certify_witness(PointReport& report, const LandscapeProblem& problem,
                     const LandscapeOptions& options, const KernelWeights<Rational>& witness) {
  if (report.kind == PointKind::unknown) return;
  const PrecisionScope precision(report.bits);
  report.non_global = certify_non_global(problem, report.box, witness);
  if (options.traps && report.non_global->verdict.kind == VerdictKind::proved &&
      report.curvature.minimum.verdict.kind == VerdictKind::proved)
    report.trap = widest_trap(problem, report.box, witness);
}

}  // namespace

const char* to_string(PointKind kind) {
  switch (kind) {
    case PointKind::stationary:
      return "stationary point";
    case PointKind::strict_minimum:
      return "strict local minimum";
    case PointKind::minimum_modulo_gauge:
      return "local minimum, strict modulo the gauge";
    case PointKind::minimum_in_slice:
      return "stationary point, strict local minimum in the slice of the frozen coordinates";
    case PointKind::not_minimum:
      return "stationary point that is not a local minimum";
    case PointKind::saddle:
      return "strict saddle";
    case PointKind::unknown:
      break;
  }
  return "unknown";
}

PointReport certify_point(const LandscapeProblem& problem, PointBox box,
                          const LandscapeOptions& options,
                          const std::optional<KernelWeights<Rational>>& witness) {
  require_fits(problem, box);
  PointReport report;
  const bool given = box.radius.sign() != 0;
  if (given) {
    report.box = std::move(box);
    certify_box(report, problem, options);
  } else {
    if (box.frozen.empty()) {
      box.frozen = approx_gauge(problem, box.centre);
      for (const std::size_t k : box.frozen)
        box.centre[k] = detail::round_binary(box.centre[k], frozen_bits);
    }
    report.box = box;
    const auto centre = approx::refine(problem, box.centre, box.frozen, options.digits);
    report.reason =
        "Newton iterations from the point do not converge: its Hessian in the free "
        "coordinates may be singular";
    if (centre) {
      report.box.centre = *centre;
      report.box.radius = options.radius;
      // The centre is known to `digits` decimals: a smaller box would not hold the point.
      const Rational least = detail::decimal_unit(options.digits - spare_digits);
      do {
        certify_box(report, problem, options);
        report.box.radius /= Rational(1000);
      } while (report.kind == PointKind::unknown && report.box.radius >= least &&
               report.stationary.verdict.kind != VerdictKind::not_applicable);
      report.box.radius *= Rational(1000);
    }
  }
  certify_exactly(report, problem, options, !given);
  {
    const PrecisionScope precision(std::max(report.bits, options.bits));
    report.loss = LandscapeModel(problem).at(enclose_box(report.box)).loss();
  }
  const std::size_t free = report.box.free_indices().size(),
                    residuals = problem.instance.residuals();
  if (report.kind == PointKind::unknown && free > residuals &&
      approx::less(report.loss, Ball(nearly_zero)))
    report.reason = "the loss is nearly 0 there, and " + std::to_string(free) +
                    " free coordinates exceed " + std::to_string(residuals) +
                    " residuals: zeros of the loss are not isolated";
  if (witness) certify_witness(report, problem, options, *witness);
  return report;
}

LandscapeReport analyse(const LandscapeProblem& problem, const LandscapeOptions& options) {
  LandscapeReport report;
  report.kernel = problem.kernel;
  report.trained = problem.trained;
  const auto candidates = approx::find_candidates(problem, options.search, report.statistics);
  std::optional<KernelWeights<Rational>> witness;
  if (options.witnesses) {
    report.low_point = approx::low_point(problem, options.search.seed,
                                         std::max(8, options.search.starts / 2), candidates);
    const PrecisionScope precision(options.bits);
    witness = problem.weights(*report.low_point);
    report.low_loss = LandscapeModel(problem).at(*report.low_point).loss();
  }
  for (const approx::Candidate& candidate : candidates) {
    PointBox box{{}, Rational(0), {}};
    for (const double x : candidate.point) box.centre.emplace_back(x);
    report.points.push_back(certify_point(problem, std::move(box), options, witness));
    report.points.back().hits = candidate.hits;
  }
  if (report.statistics.distinct > candidates.size())
    report.notes.push_back("of " + std::to_string(report.statistics.distinct) + " candidates the " +
                           std::to_string(candidates.size()) + " of least loss were certified");
  return report;
}

}  // namespace heed
