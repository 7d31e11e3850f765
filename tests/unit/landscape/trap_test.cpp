// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/trap.hpp"

#include <catch2/catch.hpp>

#include "heed/landscape/flat_directions.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::AttentionKernel;
using heed::Ball;
using heed::KernelBlock;
using heed::KernelBlocks;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::Rational;
using heed::TrapRegion;
using heed::VerdictKind;
using landscape_test::constant;

Ball decimal(const std::string& text) { return Ball(Rational::parse(text)); }

TrapRegion box(std::size_t dimension, const std::string& low, const std::string& high) {
  return {constant(dimension, "0"), {}, constant(dimension, low), constant(dimension, high), {}};
}

TEST_CASE("SM1: gradient descent from theta_0 = (1/16, ...) fails forever") {
  const LandscapeProblem problem = landscape_test::sm1();
  const auto trap = certify_trap(problem, box(5, "-2/5", "2/5"), constant(5, "1/16"),
                                 problem.weights(constant(5, "2.1971229")));
  CHECK(trap.verdict.kind == VerdictKind::proved);
  CHECK(certainly(less_equal(decimal("0.10882"), trap.boundary_loss)));
  CHECK(certainly(less(trap.boundary_loss, decimal("0.108870"))));
  CHECK(certainly(less_equal(trap.start_loss, decimal("0.1028178"))));
  CHECK(certainly(less_equal(decimal("0.09994"), trap.region_loss)));
  CHECK(certainly(less_equal(trap.region_loss, decimal("0.1"))));
  CHECK(certainly(less_equal(trap.curvature, decimal("0.29655"))));
  CHECK(certainly(less_equal(decimal("0.296"), trap.curvature)));
  CHECK(is_trapped_step(trap, Rational::parse("3.37")));
  CHECK(is_trapped_step(trap, Rational::parse("6.74")));
  CHECK(!is_trapped_step(trap, Rational::parse("6.757")));  // 2 / (37/125) = 6.7567..
  CHECK(!is_trapped_step(trap, Rational(0)));
  CHECK(!is_trapped_step(trap, Rational(-1)));
  CHECK(trap.fails_forever.kind == VerdictKind::proved);
  CHECK(certainly(less_equal(trap.witness_loss, decimal("3.8e-17"))));
}

TEST_CASE("traps that do not hold") {
  const LandscapeProblem problem = landscape_test::coupled_pair();
  const auto trap = [&](const std::string& low, const std::string& high, const std::string& start) {
    return certify_trap(problem, box(1, low, high), constant(1, start));
  };
  const auto good = trap("1/5", "3/10", "1/4");
  CHECK(good.verdict.kind == VerdictKind::proved);
  CHECK(good.fails_forever.kind == VerdictKind::undecided);
  // theta_0 outside of B, though its loss is small enough.
  const auto outside = trap("1/4", "3/10", "0.249");
  CHECK(outside.verdict.kind == VerdictKind::refuted);
  CHECK(outside.verdict.reason == "theta_0 is not in B");
  CHECK(!is_trapped_step(outside, Rational(1, 1000)));
  CHECK(trap("1/4", "3/10", "1/4").verdict.kind != VerdictKind::proved);  // on the boundary
  // One of the two faces lies below.
  const auto face = trap("-1/16", "3/10", "1/4");
  CHECK(face.verdict.kind == VerdictKind::refuted);
  CHECK(trap("0.23", "0.25", "0.235").verdict.kind == VerdictKind::refuted);
  CHECK(trap("0.27", "0.29", "0.285").verdict.kind == VerdictKind::refuted);
}

TEST_CASE("fails forever needs a witness below all of B") {
  const LandscapeProblem problem = landscape_test::coupled_pair();
  const auto fails = [&](const heed::KernelWeights<Rational>& witness) {
    return certify_trap(problem, box(1, "1/5", "3/10"), constant(1, "1/4"), witness);
  };
  CHECK(fails(problem.weights(constant(1, "-1/16"))).fails_forever.kind == VerdictKind::proved);
  // Below f(theta_0), inside of B.
  const auto inside = fails(problem.weights(constant(1, "0.259")));
  CHECK(certainly(less(inside.witness_loss, inside.start_loss)));
  CHECK(inside.verdict.kind == VerdictKind::proved);
  CHECK(inside.fails_forever.kind == VerdictKind::undecided);
  auto untrained = problem.weights(constant(1, "-1/16"));
  untrained.W_V[0](0, 0) = Rational(2);
  CHECK(fails(untrained).fails_forever.kind == VerdictKind::not_applicable);
  // A witness does not help a trap that is not proved.
  const auto no_trap = certify_trap(problem, box(1, "1/4", "3/10"), constant(1, "0.249"),
                                    problem.weights(constant(1, "-1/16")));
  CHECK(no_trap.fails_forever.kind == VerdictKind::undecided);
  const auto low_face = certify_trap(problem, box(1, "0.23", "0.25"), constant(1, "0.235"),
                                     problem.weights(constant(1, "-1/16")));
  CHECK(certainly(less(low_face.witness_loss, low_face.region_loss)));
  CHECK(low_face.fails_forever.kind == VerdictKind::undecided);
}

TEST_CASE("bounds over B lie below f at points of B") {
  // The minimum 0.2590395.. is no midpoint of a cell of the first cuts.
  const LandscapeProblem pair = landscape_test::coupled_pair();
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9})
    for (const std::string low : {"1/5", "0.21", "0.2431"})
      for (const std::string high : {"3/10", "0.271"}) {
        heed::TrapOptions options;
        options.tolerance = tolerance;
        const auto trap =
            certify_trap(pair, box(1, low, high), constant(1, "0.2590395"), {}, options);
        CHECK(certainly(less_equal(trap.region_loss, trap.start_loss)));
        CHECK(certainly(less(trap.start_loss, trap.region_loss + Ball(13 * tolerance))));
      }
  const auto ref = landscape_test::coupled_reference(AttentionKernel::gaussian);
  const heed::LandscapeModel landscape(ref.problem);
  for (const bool round : {false, true})
    for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
      // Not symmetric around the minimum, whose Hessian couples both coordinates.
      TrapRegion region{ref.box.centre, {}, constant(2, "-0.05"), constant(2, "0.07"), {}};
      if (round) region.ball_radius = Rational(3, 50);
      heed::TrapOptions options;
      options.tolerance = tolerance;
      const auto trap = certify_trap(ref.problem, region, ref.box.centre, {}, options);
      for (int k = 0; k <= 60; ++k)
        for (const char* const end : {"-0.05", "0.07"})
          for (const std::size_t fixed : {0u, 1u}) {
            // A point of the square's boundary, or of the circle's up to rounding.
            std::vector<Ball> z(2);
            z[fixed] = decimal(end);
            z[1 - fixed] = Ball(Rational(2 * k - 50, 1000));
            if (round) {
              for (Ball& x : z) x -= decimal("0.01");
              const Ball factor = decimal("0.06") / sqrt(square(z[0]) + square(z[1]));
              for (Ball& x : z) x = x * factor + decimal("0.01");
            }
            std::vector<Ball> theta;
            for (std::size_t j = 0; j < 2; ++j) theta.push_back(Ball(ref.box.centre[j]) + z[j]);
            CHECK(!certainly(less(landscape.at(theta).loss(), trap.boundary_loss)));
          }
      CHECK(certainly(less_equal(trap.region_loss, trap.start_loss)));
      CHECK(certainly(less(trap.start_loss, trap.region_loss + Ball(60 * tolerance))));
    }
}

TEST_CASE("boxes and balls of two coupled coordinates") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::gaussian);
  TrapRegion region{ref.box.centre, {}, constant(2, "-1/20"), constant(2, "1/20"), {}};
  const auto square = certify_trap(ref.problem, region, ref.box.centre, ref.witness);
  CHECK(square.verdict.kind == VerdictKind::proved);
  CHECK(square.fails_forever.kind == VerdictKind::proved);
  // At distance 1/20 the loss is at least about 9.4/2 (1/20)^2 = 0.0118 higher.
  CHECK(certainly(less(square.start_loss + Ball(0.004), square.boundary_loss)));
  CHECK(certainly(less(square.boundary_loss, square.start_loss + Ball(0.02))));
  CHECK(certainly(less(Ball(566), square.curvature)));
  region.ball_radius = Rational(1, 20);
  const auto round = certify_trap(ref.problem, region, ref.box.centre, ref.witness);
  CHECK(round.verdict.kind == VerdictKind::proved);
  CHECK(certainly(less_equal(round.region_loss, round.start_loss)));
  CHECK(certainly(less(round.start_loss + Ball(0.004), round.boundary_loss)));
  CHECK(certainly(less(round.boundary_loss, square.boundary_loss + Ball(0.01))));
  // The corner of the square is not in the ball.
  std::vector<Rational> corner = ref.box.centre;
  for (Rational& x : corner) x += Rational(9, 200);
  CHECK(certify_trap(ref.problem, region, corner).verdict.kind == VerdictKind::refuted);
}

TEST_CASE("blocks that no bounded region can hold") {
  const auto trap = [](LandscapeProblem problem, const std::string& trained,
                       AttentionKernel kernel) {
    problem.trained = *KernelBlocks::parse(trained);
    problem.kernel = kernel;
    TrapRegion region{problem.start(),
                      {},
                      constant(problem.parameters(), "-1/100"),
                      constant(problem.parameters(), "1/100"),
                      {}};
    heed::TrapOptions options;
    options.cells = 50;
    return certify_trap(problem, region, problem.start(), {}, options);
  };
  const LandscapeProblem pair = landscape_test::coupled_pair();
  CHECK(trap(pair, "W_Q,W_K", AttentionKernel::softmax).verdict.kind ==
        VerdictKind::not_applicable);
  CHECK(trap(pair, "W_V,W_O", AttentionKernel::gaussian).verdict.kind ==
        VerdictKind::not_applicable);
  CHECK(trap(pair, "W_V,W_O", AttentionKernel::softmax).verdict.reason.find("W_V and W_O") !=
        std::string::npos);
  CHECK(trap(pair, "W_Q,W_K", AttentionKernel::gaussian).verdict.kind !=
        VerdictKind::not_applicable);
}

// Two orthonormal tokens, queries 1 and -2, values 0 and 1: f depends on k_1 - k_2 alone.
LandscapeProblem two_keys() {
  LandscapeProblem p{landscape_test::layer(landscape_test::problem(
                         AttentionKernel::softmax, {"1/10", "0"}, {"0", "1"}, "1/3")),
                     AttentionKernel::softmax, KernelBlock::key};
  p.instance.weights.W_Q[0](0, 0) = Rational(1);
  p.instance.weights.W_Q[0](1, 0) = Rational(-2);
  return p;
}

TEST_CASE("flat directions: the region lies across them") {
  const LandscapeProblem problem = two_keys();
  REQUIRE(fixed_flat_space(problem).size() == 1);
  const auto minimum = certify_point(problem, {problem.start(), Rational(0), {}}, {});
  REQUIRE(minimum.kind == heed::PointKind::minimum_modulo_gauge);
  TrapRegion region{
      minimum.box.centre, Matrix<Rational>(2, 1), constant(1, "-1/2"), constant(1, "1/2"), {}};
  region.frame(0, 0) = Rational(1);
  region.frame(1, 0) = Rational(-1);
  const auto trap = certify_trap(problem, region, minimum.box.centre);
  CHECK(trap.verdict.kind == VerdictKind::proved);
  REQUIRE(trap.notes.size() == 1);
  // A frame that is not orthogonal to them, and a full box, which they leave.
  region.frame(1, 0) = Rational(0);
  CHECK(certify_trap(problem, region, minimum.box.centre).verdict.kind ==
        VerdictKind::not_applicable);
  const TrapRegion whole{minimum.box.centre, {}, constant(2, "-1/2"), constant(2, "1/2"), {}};
  heed::TrapOptions options;
  options.cells = 400;
  CHECK(certify_trap(problem, whole, minimum.box.centre, {}, options).verdict.kind !=
        VerdictKind::proved);
  // theta_0 off the plane of the region.
  region.frame(1, 0) = Rational(-1);
  std::vector<Rational> off = minimum.box.centre;
  off[0] += Rational(1, 100);
  CHECK(certify_trap(problem, region, off).verdict.reason == "theta_0 is not in B");
}

TEST_CASE("bounds of a trap contain what gradient descent does") {
  const LandscapeProblem problem = landscape_test::coupled_pair();
  const auto trap = certify_trap(problem, box(1, "1/5", "3/10"), constant(1, "0.22"));
  REQUIRE(trap.verdict.kind == VerdictKind::proved);
  const heed::PrecisionScope precision(128);
  const heed::LandscapeModel landscape(problem);
  const Ball eta = trap.step_limit * Ball(0.99);
  Ball w = decimal("0.22");
  for (int t = 0; t < 200; ++t) {
    const auto model = landscape.at({w});
    CHECK(certainly(less_equal(trap.region_loss, model.loss())));
    CHECK(certainly(less(model.loss(), trap.start_loss + Ball(1e-20))));
    CHECK(certainly(less_equal(abs(model.hessian(KernelBlock::query)(0, 0)), trap.curvature)));
    w = (w - eta * flatten(model.gradient(KernelBlock::query), KernelBlock::query)[0]).midpoint();
    CHECK(certainly(less(decimal("0.2"), w)));
    CHECK(certainly(less(w, decimal("0.3"))));
  }
}

TEST_CASE("regions that do not fit are errors") {
  const LandscapeProblem problem = landscape_test::coupled_pair();
  const auto start = constant(1, "1/4");
  TrapRegion region = box(1, "3/10", "1/5");
  CHECK_THROWS_AS(certify_trap(problem, region, start), std::invalid_argument);
  region = box(2, "1/5", "3/10");
  CHECK_THROWS_AS(certify_trap(problem, region, start), std::invalid_argument);
  region = box(1, "1/5", "3/10");
  region.ball_radius = Rational(0);
  CHECK_THROWS_AS(certify_trap(problem, region, start), std::invalid_argument);
  region.ball_radius.reset();
  region.frame = Matrix<Rational>(1, 1);  // rank 0
  CHECK_THROWS_AS(certify_trap(problem, region, start), std::invalid_argument);
}

}  // namespace
