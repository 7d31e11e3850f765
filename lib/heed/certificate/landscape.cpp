// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/landscape.hpp"

#include <algorithm>
#include <stdexcept>

#include "heed/certificate/detail/gauge.hpp"
#include "heed/certificate/detail/landscape_fields.hpp"
#include "heed/landscape/detail/dyadic.hpp"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using detail::fraction;
using detail::numbers;

// Bits after the binary point of the checker's numbers, beyond the working precision of the report.
constexpr int more_bits = 64;
constexpr int trap_bits = 96;
// Of the radius of starts that is proved: heedcheck's bounds of the Hessian are other ones.
const Rational start_share(15, 16);

bool is_proved(const Verdict& verdict) { return verdict.kind == VerdictKind::proved; }

// Stationary in rational numbers, and the report speaks of the centre itself.
bool is_exact(const PointReport& report) {
  return report.box.radius.sign() == 0 && report.exact && is_proved(report.exact->verdict);
}

bool proves(const PointReport& report, PointClaim claim) {
  if (!is_exact(report) && !is_proved(report.stationary.verdict)) return false;
  switch (claim) {
    case PointClaim::stationary:
      return true;
    case PointClaim::minimum:
      return is_proved(report.curvature.minimum.verdict);
    case PointClaim::not_minimum:
      return is_proved(report.curvature.not_minimum.verdict);
    case PointClaim::saddle:
      return is_proved(report.curvature.saddle.verdict);
    case PointClaim::index:
      break;
  }
  return is_proved(report.curvature.index.verdict);
}

std::string word(PointClaim claim, bool exact) {
  switch (claim) {
    case PointClaim::stationary:
      return exact ? "stationary_exact" : "stationary";
    case PointClaim::minimum:
      return "minimum";
    case PointClaim::not_minimum:
      return "not_minimum";
    case PointClaim::saddle:
      return "saddle";
    case PointClaim::index:
      break;
  }
  return "index";
}

// How far below the infimum a bound of the checker may lie, in each of at most as many groups as there
// are coordinates: a sixteenth of what there is to spare.
Rational tolerance(const TrapStatement& trap) {
  Ball spare = trap.result.boundary_loss - trap.result.start_loss;
  if (is_proved(trap.result.fails_forever))
    spare = min(spare, trap.result.region_loss - trap.result.witness_loss);
  const auto middle = detail::approx_midpoint(spare);
  if (!middle || middle->sign() <= 0)
    throw std::invalid_argument("certificate: the bounds of the trap leave nothing to spare");
  const Rational parts(16 * static_cast<long>(trap.theta_0.size()));
  return detail::round_relative(*middle / parts, 8);
}

// The losses of a small ball differ by less than their size times its radius squared.
int curvature_bits(const Rational& radius) {
  const long e = approx::exponent(Ball(radius));
  return trap_bits + static_cast<int>(3 * std::max(0L, std::min(-e, 4000L)));
}

std::string trap_certificate(const LandscapeProblem& problem, Json fields, int bits,
                             const KernelWeights<Rational>* witness, const std::string& info) {
  std::vector<std::string> words = {"trap"};
  if (witness) words.emplace_back("fails_forever");
  Json j = detail::landscape_fields(problem, words, bits);
  j["trap"] = std::move(fields);
  if (witness) j["witness"] = numbers(flatten(*witness, problem.trained));
  return detail::text(std::move(j), info);
}

}  // namespace

std::optional<PointClaim> strongest_claim(const PointReport& report) {
  for (const PointClaim claim : {PointClaim::minimum, PointClaim::saddle, PointClaim::not_minimum,
                                 PointClaim::index, PointClaim::stationary})
    if (proves(report, claim)) return claim;
  return std::nullopt;
}

std::string landscape_certificate(const LandscapeProblem& problem, const PointReport& report,
                                  const std::string& info, std::optional<PointClaim> claim) {
  require_fits(problem, report.box);
  if (!claim) claim = strongest_claim(report);
  if (!claim || !proves(report, *claim))
    throw std::invalid_argument("certificate: the report does not prove the claim");
  const PointBox& box = report.box;
  const bool exact = is_exact(report);
  if (exact && !box.frozen.empty())
    throw std::invalid_argument("certificate: a point of rational attention has nothing frozen");
  const bool lower = report.non_global && is_proved(report.non_global->verdict);
  std::vector<std::string> words = {word(*claim, exact)};
  if (lower) words.emplace_back("non_global");
  Json j = detail::landscape_fields(problem, words, std::max(report.bits, 64) + more_bits);
  j["centre"] = numbers(box.centre);
  if (!exact) {
    j["radius"] = fraction(box.radius);
    j["A"] = numbers(report.stationary.preconditioner.entries());
    if (!box.frozen.empty()) {
      j["frozen"] = box.frozen;
      j["gauge"] = Json::array();
      for (const detail::GaugeDirection& g : detail::gauge_directions(problem, box)) {
        Json item = {{g.word, numbers(g.numbers)}};
        if (g.head) item["head"] = *g.head;
        j["gauge"].push_back(std::move(item));
      }
    }
  }
  const auto free_part = [&](const std::vector<Rational>& v) {
    std::vector<Rational> part;
    for (const std::size_t k : box.free_indices()) part.push_back(v[k]);
    return numbers(part);
  };
  if (*claim == PointClaim::not_minimum) j["v"] = free_part(report.curvature.not_minimum.v);
  if (*claim == PointClaim::saddle) {
    j["u"] = free_part(report.curvature.saddle.u);
    j["v"] = free_part(report.curvature.saddle.v);
  }
  if (*claim == PointClaim::index) {
    j["V"] = numbers(report.curvature.index.V.entries());
    j["index"] = report.curvature.index.index;
  }
  if (lower) j["witness"] = numbers(flatten(report.non_global->witness, problem.trained));
  return detail::text(std::move(j), info);
}

std::string landscape_certificate(const LandscapeProblem& problem, const TrapStatement& trap,
                                  const TrapOptions& options, const std::string& info) {
  const TrapRegion& region = trap.region;
  const bool by_curvature = trap.result.route == TrapRoute::curvature;
  if (region.frame.size() != 0 || (region.ball_radius && !by_curvature))
    throw std::invalid_argument(
        "certificate: the region of a trap is a box of all coordinates, or a ball that was proved "
        "by curvature");
  if (!is_trapped_step(trap.result, trap.eta))
    throw std::invalid_argument("certificate: the trap is not proved for this step");
  const bool lower = is_proved(trap.result.fails_forever);
  std::vector<Rational> ends[2];
  for (std::size_t k = 0; k < region.dimension(); ++k) {
    ends[0].push_back(region.origin[k] + region.lower[k]);
    ends[1].push_back(region.origin[k] + region.upper[k]);
  }
  Json fields;
  int bits = trap_bits;
  if (by_curvature) {
    bits = curvature_bits(region.ball_radius.value_or(region.upper[0] - region.lower[0]));
    fields["centre"] = numbers(trap.result.centre);
  }
  if (region.ball_radius) {
    fields["radius"] = fraction(*region.ball_radius);
  } else {
    fields["lower"] = numbers(ends[0]);
    fields["upper"] = numbers(ends[1]);
  }
  fields["theta_0"] = numbers(trap.theta_0);
  fields["eta"] = fraction(trap.eta);
  if (by_curvature) {
    fields["scales"] = trap.result.scales;
  } else {
    fields["tolerance"] = fraction(tolerance(trap));
    fields["cells"] = std::min<std::size_t>(options.cells, 1'000'000);
  }
  return trap_certificate(problem, std::move(fields), bits, lower ? &*trap.result.witness : nullptr,
                          info);
}

std::string landscape_certificate(const LandscapeProblem& problem, const TrapBall& trap,
                                  const Rational& eta, const std::string& info) {
  if (!is_trapped_step(trap, eta))
    throw std::invalid_argument("certificate: the trap is not proved for this step");
  if (!trap.flat.empty())
    throw std::invalid_argument("certificate: the ball of a trap has full dimension");
  const Json fields = {{"centre", numbers(trap.centre)},
                       {"radius", fraction(trap.radius)},
                       {"start_radius", fraction(trap.start_radius * start_share)},
                       {"eta", fraction(eta)},
                       {"scales", trap.scales}};
  return trap_certificate(problem, fields, curvature_bits(trap.radius),
                          is_proved(trap.fails_forever) ? &*trap.witness : nullptr, info);
}

}  // namespace heed
