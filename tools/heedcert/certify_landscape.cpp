// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "certify.hpp"
#include "heed/certificate/landscape.hpp"
#include "heed/certificate/landscape_theorem.hpp"
#include "heed/data/input_error.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/numeric/precision.hpp"
#include "landscape_theorems.hpp"

namespace heedcert {
namespace {

// Of the radius of the widest trap: heedcheck's enclosures are other ones.
constexpr double certified_share = 0.5;

// 1 / L, nearly, unless a step is asked for; rounded to a short number.
heed::Rational step_of(const heed::Ball& step_limit, const std::optional<heed::Rational>& asked) {
  if (asked) return *asked;
  return heed::detail::round_relative(
      heed::Rational(heed::approx::to_double(step_limit)) / heed::Rational(2), 8);
}

std::string words(bool fails_forever) {
  return fails_forever ? ", and a witness outside has a lower loss than all of it" : "";
}

Written ball_certificate(const heed::LandscapeProblem& problem, const LandscapeRequest& r,
                         const heed::LandscapeOptions& options, const std::string& info) {
  const auto witness = low_weights(problem, options.search);
  heed::LandscapeOptions point_options = options;
  point_options.traps = false;
  const heed::PointReport point =
      heed::certify_point(problem, requested_box(problem, r), point_options, witness);
  heed::TrapBallOptions ball_options;
  ball_options.share = certified_share;
  const heed::TrapBall trap = heed::widest_trap(problem, point.box, witness, ball_options);
  Written w;
  w.exit = Exit::undecided;
  w.statement = "no trap is proved: " + trap.verdict.reason;
  if (trap.verdict.kind != heed::VerdictKind::proved) return w;
  const heed::Rational eta = step_of(trap.step_limit, requested_step(r));
  w.statement = "the step is not proved to be trapped";
  if (!is_trapped_step(trap, eta)) return w;
  w.statement = "f is constant along some directions, and the format has no trap across them";
  if (!trap.flat.empty()) return w;
  w.text = heed::landscape_certificate(problem, trap, eta, info);
  w.statement =
      "from every start near the point gradient descent stays in the ball for every step "
      "up to " +
      eta.to_decimal_or_fraction() + words(trap.fails_forever.kind == heed::VerdictKind::proved);
  w.exit = Exit::ok;
  return w;
}

Written trap_certificate(const heed::LandscapeProblem& problem, const LandscapeRequest& r,
                         const heed::LandscapeOptions& options, const std::string& info) {
  const RequestedTrap asked = requested_trap(problem, r);
  const heed::TrapOptions trap_options;
  heed::TrapStatement s{asked.region, asked.theta_0, heed::Rational(1),
                        heed::certify_trap(problem, asked.region, asked.theta_0,
                                           low_weights(problem, options.search), trap_options)};
  Written w;
  w.statement = "no trap is proved: " + s.result.verdict.reason;
  w.exit = s.result.verdict.kind == heed::VerdictKind::refuted ? Exit::refuted : Exit::undecided;
  if (s.result.verdict.kind != heed::VerdictKind::proved) return w;
  s.eta = step_of(s.result.step_limit, asked.eta);
  w.exit = Exit::undecided;
  w.statement = "the step is not proved to be trapped";
  if (!is_trapped_step(s.result, s.eta)) return w;
  const bool forever = s.result.fails_forever.kind == heed::VerdictKind::proved;
  w.statement = "a ball that is proved by a cover has no certificate";
  if (s.region.ball_radius && s.result.route != heed::TrapRoute::curvature) return w;
  w.text = heed::landscape_certificate(problem, s, trap_options, info);
  w.statement = std::string("gradient descent stays in the ") +
                (s.region.ball_radius ? "ball" : "box") + " for every step up to " +
                s.eta.to_decimal_or_fraction() + words(forever);
  w.exit = Exit::ok;
  return w;
}

Written complete_1d_certificate(const heed::LandscapeProblem& problem, const std::string& info) {
  Written w{"", "", "", Exit::undecided};
  const SeparateTokens s = separate_tokens(problem);
  if (!s.decoupling.applies || problem.trained != heed::KernelBlocks(heed::KernelBlock::query)) {
    w.statement = s.decoupling.applies ? "W_Q alone must be trained" : s.decoupling.reason;
    return w;
  }
  try {
    w.text = heed::complete_certificate(problem, s.tokens, info);
  } catch (const std::invalid_argument& error) {
    w.statement = error.what();
    return w;
  }
  w.exit = Exit::ok;
  w.statement = "all critical points of every token";
  if (certainly(s.sum.benign)) w.statement += "; every local minimum is global";
  if (certainly_not(s.sum.benign)) w.statement += "; a local minimum is not global";
  return w;
}

// With the point as the weights of the trained blocks.
heed::LandscapeProblem at(heed::LandscapeProblem problem,
                          const std::vector<heed::Rational>& centre) {
  problem.instance.weights = problem.weights(centre);
  return problem;
}

Written theorem_certificate(const heed::LandscapeProblem& problem, const LandscapeRequest& r,
                            const std::string& info) {
  const bool of_point = r.claim == "overshoot" || r.claim == "init" || r.claim == "zero_loss";
  if (!of_point && !r.centre.empty())
    throw heed::InputError("--centre: the claim " + r.claim + " is about all points");
  if (r.claim == "complete_1d") return complete_1d_certificate(problem, info);
  const std::vector<heed::Rational> centre = requested_box(problem, r).centre;
  const auto undecided = [](const std::string& reason) {
    return Written{"", reason, "", Exit::undecided};
  };
  try {
    if (r.claim == "zero_loss") {
      const heed::ZeroLossResult zero = heed::certify_zero_loss(problem, centre);
      if (zero.verdict.kind != heed::VerdictKind::proved) return undecided(zero.verdict.reason);
      return {heed::zero_loss_certificate(problem, centre, zero, info),
              "a point with f = 0 close by", "", Exit::ok};
    }
    for (const heed::PositiveCertificate& c : positive_certificates(at(problem, centre))) {
      if (c.claim != "landscape." + r.claim) continue;
      if (c.kind != heed::VerdictKind::proved) return undecided(c.reason);
      return {heed::positive_certificate(problem, c, info, centre),
              "the hypotheses of " + c.theorem, "", Exit::ok};
    }
  } catch (const std::invalid_argument& error) {
    return undecided(error.what());
  }
  return undecided("it does not apply to training of " + problem.trained.to_string());
}

}  // namespace

Written landscape_certificate(const heed::KernelInstance& instance, const LandscapeRequest& r,
                              const CommonOptions& o, const std::string& info) {
  if (!instance.kernel)
    throw heed::InputError(
        "a certificate is about one kernel: name it with --kernel softmax (or gaussian, ...)");
  const heed::PrecisionScope scope(128);
  const heed::LandscapeProblem problem = landscape_problem(instance, *instance.kernel, r);
  const heed::LandscapeOptions options = landscape_options(r, o);
  Written w;
  if (!r.claim.empty()) {
    w = theorem_certificate(problem, r, info);
  } else if (wants_widest_trap(r)) {
    w = ball_certificate(problem, r, options, info);
  } else if (!r.trap.empty()) {
    w = trap_certificate(problem, r, options, info);
  } else {
    const heed::PointReport report = heed::certify_point(
        problem, requested_box(problem, r), options, low_weights(problem, options.search));
    if (!strongest_claim(report))
      return {"",
              report.reason.empty() ? "the point is not proved to be stationary" : report.reason,
              "", Exit::undecided};
    w.text = heed::landscape_certificate(problem, report, info);
    w.statement = to_string(report.kind);
    if (report.non_global && report.non_global->verdict.kind == heed::VerdictKind::proved)
      w.statement += ", not global";
  }
  w.sha256 = heed::certificate_sha256(instance);
  return w;
}

}  // namespace heedcert
