// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/landscape.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "cli/run.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "unit/certificate/checked.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using certificate_test::checked;
using cli_test::heedcheck;
using cli_test::Json;
using heed::AttentionKernel;
using heed::KernelBlock;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::PointClaim;
using heed::PointReport;
using heed::Rational;
using landscape_test::constant;
using landscape_test::small_fractions;

TEST_CASE("the references: minima that are not global, and their index") {
  for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian}) {
    const auto ref = landscape_test::coupled_reference(kernel);
    const PointReport report = certify_point(ref.problem, ref.box, {}, ref.witness);
    CHECK(strongest_claim(report) == PointClaim::minimum);
    const Json answer = checked(ref.problem, landscape_certificate(ref.problem, report, "a test"));
    CHECK(answer["claim"] == Json::parse(R"(["minimum","non_global"])"));
    // Derived twice, by different means.
    const auto near = [&](const char* name, const char* end, const Rational& expected) {
      const auto text = answer["bounds"][name][end].get<std::string>();
      return abs(Rational::parse(text) - expected) < Rational::parse("1e-6");
    };
    CHECK(near("loss", "lo", ref.loss_low));
    CHECK(near("loss", "hi", ref.loss_high));
    CHECK(near("witness_loss", "hi", ref.witness_loss));
    for (const PointClaim claim : {PointClaim::stationary, PointClaim::index})
      checked(ref.problem, landscape_certificate(ref.problem, report, "", claim));
    for (const PointClaim claim : {PointClaim::saddle, PointClaim::not_minimum})
      CHECK_THROWS_AS(landscape_certificate(ref.problem, report, "", claim), std::invalid_argument);
  }
}

TEST_CASE("points of rational attention have certificates without a box") {
  for (const std::string file :
       {"kernel_08_joint_saddle.json", "kernel_12_joint_saddle_gauss.json"}) {
    const auto kernel = file.find("gauss") == std::string::npos ? AttentionKernel::softmax
                                                                : AttentionKernel::gaussian;
    const auto problem = landscape_test::fixture_problem(file, kernel, "all");
    const PointReport report = certify_point(problem, {problem.start(), Rational(0), {}}, {});
    const std::string text = landscape_certificate(problem, report);
    CHECK(text.find("radius") == std::string::npos);
    const Json answer = checked(problem, text);
    CHECK(answer["claim"] == Json::parse(R"(["saddle"])"));
    CHECK(answer["bounds"]["loss"]["lo"] == "1");
    CHECK(answer["bounds"]["loss"]["hi"] == "1");
    CHECK(checked(problem,
                  landscape_certificate(problem, report, "", PointClaim::stationary))["claim"] ==
          Json::parse(R"(["stationary_exact"])"));
  }
}

TEST_CASE("the trap of SM1") {
  const LandscapeProblem problem = landscape_test::sm1();
  const auto witness = problem.weights(constant(5, "2.1971229"));
  heed::TrapStatement trap{{constant(5, "0"), {}, constant(5, "-2/5"), constant(5, "2/5"), {}},
                           constant(5, "1/16"),
                           Rational::parse("3.37"),
                           {}};
  trap.result = certify_trap(problem, trap.region, trap.theta_0, witness);
  const Json answer = checked(problem, landscape_certificate(problem, trap, {}));
  CHECK(answer["claim"] == Json::parse(R"(["trap","fails_forever"])"));
  const auto bound = [&](const char* name, const char* end) {
    return std::stod(answer["bounds"][name][end].get<std::string>());
  };
  CHECK(bound("start_loss", "hi") == Approx(0.1028178).epsilon(1e-6));
  CHECK(bound("boundary_loss", "lo") > 0.108);
  CHECK(bound("boundary_loss", "lo") <= 0.1088696);
  CHECK(bound("region_loss", "lo") > 0.0998);
  CHECK(bound("region_loss", "lo") <= 0.1);
  trap.eta = Rational(7);  // 2 / L = 6.75...
  CHECK_THROWS_AS(landscape_certificate(problem, trap, {}), std::invalid_argument);
  trap.eta = Rational(3);
  trap.region.ball_radius = Rational(1);
  CHECK_THROWS_AS(landscape_certificate(problem, trap, {}), std::invalid_argument);
}

Json bounds_of(const LandscapeProblem& problem, const std::string& text, const std::string& claim) {
  const Json answer = checked(problem, text);
  CHECK(answer["claim"] == Json::parse(claim));
  return answer["bounds"];
}

TEST_CASE("balls of starts: heedcheck derives about the same bounds") {
  for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian}) {
    const auto ref = landscape_test::coupled_reference(kernel);
    heed::TrapBallOptions options;
    options.share = 0.75;
    heed::TrapBall ball = widest_trap(ref.problem, ref.box, ref.witness, options);
    REQUIRE(ball.verdict.kind == heed::VerdictKind::proved);
    const Rational eta = heed::detail::round_relative(
        Rational(heed::approx::to_double(ball.step_limit)) * Rational(19, 20), 8);
    const std::string text = landscape_certificate(ref.problem, ball, eta, "a test");
    const Json bounds = bounds_of(ref.problem, text, R"(["trap","fails_forever"])");
    const auto bound = [&](const char* name, const char* end) {
      return Rational::parse(bounds[name][end].get<std::string>());
    };
    const double centre = heed::approx::to_double(ball.region_loss),
                 rise = heed::approx::to_double(ball.boundary_loss) - centre,
                 other = bound("boundary_loss", "lo").nearest_double() - centre;
    CHECK(other > 0.7 * rise);
    CHECK(other < 1.4 * rise);
    CHECK(bound("start_radius", "hi") > Rational(9, 10) * ball.start_radius);
    CHECK(bound("start_radius", "hi") < ball.start_radius);
    CHECK(text.find("theta_0") == std::string::npos);
    CHECK_THROWS_AS(landscape_certificate(ref.problem, ball, eta * Rational(2)),
                    std::invalid_argument);
    // One start in the same ball, and in a box around it.
    heed::TrapStatement one{heed::TrapRegion::ball(ball.centre, ball.radius), ball.centre, eta, {}};
    one.theta_0[0] += ball.start_radius / Rational(2);
    one.result = certify_trap(ref.problem, one.region, one.theta_0, ref.witness);
    REQUIRE(one.result.route == heed::TrapRoute::curvature);
    one.eta = heed::detail::round_relative(
        Rational(heed::approx::to_double(one.result.step_limit)) * Rational(9, 10), 8);
    CHECK(bounds_of(ref.problem, landscape_certificate(ref.problem, one, {}),
                    R"(["trap","fails_forever"])")
              .contains("radius"));
    std::vector<Rational> lower = ball.centre, upper = ball.centre;
    for (std::size_t k = 0; k < lower.size(); ++k) {
      lower[k] -= ball.radius / Rational(2);
      upper[k] += ball.radius / Rational(3);
    }
    one.region = heed::TrapRegion::box(lower, upper);
    one.theta_0 = ball.centre;
    one.result = certify_trap(ref.problem, one.region, one.theta_0);
    REQUIRE(one.result.route == heed::TrapRoute::curvature);
    bounds_of(ref.problem, landscape_certificate(ref.problem, one, {}), R"(["trap"])");
    ball.flat = {std::vector<Rational>(2, Rational(1))};
    CHECK_THROWS_AS(landscape_certificate(ref.problem, ball, eta), std::invalid_argument);
  }
}

struct Shape {
  std::size_t N, n, D, d, v, p, H;
};

TEST_CASE("what is certified of drawn layers, heedcheck calls valid, with gauges of every kind") {
  const Shape shapes[] = {
      {1, 3, 2, 1, 1, 1, 1}, {2, 2, 3, 2, 2, 2, 1}, {2, 3, 3, 2, 1, 2, 1}, {2, 3, 2, 1, 1, 2, 2}};
  std::size_t written = 0, gauged = 0, balls = 0;
  std::set<std::string> words, claims;
  for (const AttentionKernel kernel : landscape_test::all_kernels())
    for (const Shape& s : shapes)
      for (const std::string trained : {"W_Q", "W_K", "W_Q,W_K", "W_V,W_O", "all"}) {
        INFO(heed::kernel_word(kernel) << " " << trained << " D " << s.D << " H " << s.H);
        int state = 5;
        heed::KernelInstance k;
        k.X = small_fractions(s.N, s.n, s.D, state);
        k.Y = small_fractions(s.N, s.n, s.p, state);
        k.readout = heed::token_readout(s.n);
        k.beta = {Rational(1, 3), s.D == 3};
        k.weights = {small_fractions(s.H, s.D, s.d, state), small_fractions(s.H, s.D, s.d, state),
                     small_fractions(s.H, s.D, s.v, state), small_fractions(s.H, s.v, s.p, state)};
        const LandscapeProblem problem{k, kernel, *heed::KernelBlocks::parse(trained)};
        if (problem.parameters() > 16) continue;
        heed::LandscapeOptions options;
        options.search.starts = 8;
        options.search.most = 4;
        options.search.iterations = 100;
        for (const PointReport& p : analyse(problem, options).points) {
          if (!strongest_claim(p)) continue;
          const std::string text = landscape_certificate(problem, p);
          claims.insert(checked(problem, text)["claim"][0]);
          ++written;
          if (p.kind == heed::PointKind::strict_minimum) {
            heed::TrapBallOptions smaller;
            smaller.share = 0.5;
            const heed::TrapBall ball = widest_trap(problem, p.box, {}, smaller);
            if (ball.verdict.kind != heed::VerdictKind::proved) continue;
            const Rational eta = Rational(heed::approx::to_double(ball.step_limit)) / Rational(2);
            checked(problem, landscape_certificate(problem, ball, eta));
            ++balls;
          }
          const Json certificate = Json::parse(text);
          if (!certificate.contains("gauge")) continue;
          ++gauged;
          for (const Json& g : certificate["gauge"]) words.insert(g.begin().key());
        }
      }
  CHECK(written > 80);
  CHECK(gauged > 30);
  CHECK(balls > 10);
  CHECK(words == std::set<std::string>{"mix", "shift", "turn"});
  CHECK(claims.count("minimum") == 1);
  CHECK(claims.count("saddle") == 1);
}

TEST_CASE("what is not proved has no certificate") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::softmax);
  heed::PointBox shifted = ref.box;
  shifted.centre[0] += Rational::parse("1e-8");
  const PointReport report = certify_point(ref.problem, shifted, {});
  CHECK(!strongest_claim(report));
  CHECK_THROWS_AS(landscape_certificate(ref.problem, report), std::invalid_argument);
}

}  // namespace
