// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/trap_ball.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "heed/landscape/analyse.hpp"
#include "heed/landscape/complete_1d.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/landscape/trap.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::AttentionKernel;
using heed::Ball;
using heed::KernelBlock;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::PointBox;
using heed::Rational;
using heed::TrapBall;
using heed::TrapRegion;
using heed::VerdictKind;
using landscape_test::constant;

using Vector = std::vector<double>;

// Gradient descent in double from several starts on the edge of the ball of starts, with steps close to
// the limit and small ones: it stays in the ball and ends at its centre.
void require_trapped(const LandscapeProblem& p, const TrapBall& t, int steps = 400) {
  const auto inputs = std::make_shared<const heed::KernelInputs<double>>(p.instance);
  const auto weights = heed::weights_as<double>(p.instance.weights);
  Vector centre;
  for (const Rational& x : t.centre) centre.push_back(x.nearest_double());
  const std::size_t n = centre.size();
  const double radius = t.radius.nearest_double(), rho = t.start_radius.nearest_double(),
               limit = heed::approx::to_double(t.step_limit);
  const auto distance = [&](const Vector& theta) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += (theta[k] - centre[k]) * (theta[k] - centre[k]);
    return std::sqrt(sum);
  };
  std::mt19937 source(17);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 12; ++trial) {
    Vector theta(n);
    for (double& x : theta) x = trial < 4 ? static_cast<double>(source() % 3) - 1 : normal(source);
    double size = 0;
    for (const double x : theta) size += x * x;
    if (size == 0) continue;
    for (std::size_t k = 0; k < n; ++k) theta[k] = centre[k] + theta[k] * rho / std::sqrt(size);
    const double eta = limit * (trial % 3 == 0 ? 0.999 : trial % 3 == 1 ? 0.5 : 0.05);
    double before = heed::approx::to_double(t.start_loss) * (1 + 1e-11);
    for (int step = 0; step < steps; ++step) {
      const heed::KernelModel<double> model(inputs, p.kernel, with_flat(weights, p.trained, theta));
      const double loss = model.loss();
      REQUIRE(distance(theta) <= radius);
      REQUIRE(loss <= before * (1 + 1e-11));
      REQUIRE(loss >= heed::approx::to_double(t.region_loss) * (1 - 1e-11));
      before = loss;
      const Vector g = flatten(model.gradient(p.trained), p.trained);
      for (std::size_t k = 0; k < n; ++k) theta[k] -= eta * g[k];
    }
  }
}

LandscapeProblem named(const std::string& name) {
  const auto kernel = name == "SM1" ? AttentionKernel::softmax : AttentionKernel::gaussian;
  return {landscape_test::layer(landscape_test::named(name, kernel)), kernel, KernelBlock::query};
}

// The distance of the nearest other critical point of f: one token goes to the nearest one of its loss.
double nearest_other(const LandscapeProblem& p, const std::vector<Rational>& centre) {
  const auto landscape = heed::complete_1d(heed::decouple(p.instance, p.kernel).tokens[0]);
  double nearest = 1e300;
  for (const heed::CriticalPoint& c : landscape.points) {
    const double gap = std::fabs(heed::approx::to_double(c.q) - centre[0].nearest_double());
    if (gap > 1e-6) nearest = std::min(nearest, gap);
  }
  return nearest;
}

TEST_CASE("the named bad minima: the ball reaches most of the way to the next critical point") {
  for (const std::string name : {"SM1", "GA1", "PAIR"}) {
    INFO(name);
    const LandscapeProblem p = named(name);
    const auto start = name == "PAIR" ? constant(2, "1.827599517e-7") : p.start();
    const auto report = certify_point(p, {start, Rational(0), {}}, {});
    REQUIRE(report.kind == heed::PointKind::strict_minimum);
    const TrapBall t = widest_trap(p, report.box);
    REQUIRE(t.verdict.kind == VerdictKind::proved);
    CHECK(t.one_minimum);
    CHECK(!t.convex);
    CHECK(t.fails_forever.kind == VerdictKind::undecided);
    const double other = nearest_other(p, t.centre), radius = t.radius.nearest_double();
    // B is proved to hold no other stationary point.
    CHECK(radius < other);
    CHECK(radius > (name == "SM1" ? 0.9 : 0.5) * other);
    CHECK(t.start_radius.nearest_double() > 0.4 * radius);
    require_trapped(p, t);
  }
}

TEST_CASE("SM1: the ball, its step and the witness") {
  const LandscapeProblem p = landscape_test::sm1();
  const TrapBall t =
      widest_trap(p, {p.start(), Rational(0), {}}, p.weights(constant(5, "2.1971229")));
  REQUIRE(t.verdict.kind == VerdictKind::proved);
  CHECK(t.radius < Rational::parse("0.41774679"));
  CHECK(t.radius > Rational::parse("0.38"));
  CHECK(t.start_radius > Rational::parse("0.22"));
  CHECK(is_trapped_step(t, Rational::parse("6.6")));
  CHECK(!is_trapped_step(t, Rational::parse("6.757")));  // 2 / (37/125) = 6.7567..
  CHECK(!is_trapped_step(t, Rational(0)));
  CHECK(t.fails_forever.kind == VerdictKind::proved);
  CHECK(certainly(less(Ball(0.1085), t.boundary_loss)));
  CHECK(certainly(less(Ball(Rational::parse("0.09999999999")), t.region_loss)));
  // f on the boundary, at the point that is least there: along an axis.
  std::vector<Rational> axis(5);
  axis[2] = t.radius;
  CHECK(!certainly(less(heed::LandscapeModel(p).at(axis).loss(), t.boundary_loss)));
  // A witness inside of B, and one that differs in an untrained block.
  CHECK(widest_trap(p, {p.start(), Rational(0), {}}, p.weights(constant(5, "1/1000")))
            .fails_forever.kind == VerdictKind::undecided);
  auto untrained = p.weights(constant(5, "2.1971229"));
  untrained.W_V[0](0, 0) = Rational(2);
  CHECK(widest_trap(p, {p.start(), Rational(0), {}}, untrained).fails_forever.kind ==
        VerdictKind::not_applicable);
}

TEST_CASE("the coupled references: a ball of starts around each") {
  for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian}) {
    const auto ref = landscape_test::coupled_reference(kernel);
    const TrapBall t = widest_trap(ref.problem, ref.box, ref.witness);
    REQUIRE(t.verdict.kind == VerdictKind::proved);
    CHECK(t.fails_forever.kind == VerdictKind::proved);
    CHECK(t.one_minimum);
    const bool softmax = kernel == AttentionKernel::softmax;
    CHECK(t.radius > (softmax ? Rational::parse("5e-4") : Rational::parse("0.01")));
    CHECK(t.start_radius > (softmax ? Rational::parse("1e-5") : Rational::parse("1e-3")));
    CHECK(certainly(less(Ball(ref.eigenvalues.back()), t.curvature)));
    CHECK(certainly(less(t.curvature, Ball(Rational(6, 5) * ref.eigenvalues.back()))));
    require_trapped(ref.problem, t);
  }
}

// Four samples of four tokens in D dimensions.
LandscapeProblem drawn(unsigned seed, std::size_t D, std::size_t d, AttentionKernel kernel,
                       const std::string& trained) {
  std::mt19937 source(seed);
  const auto matrix = [&](std::size_t rows, std::size_t cols, long size) {
    Matrix<Rational> m(rows, cols);
    for (Rational& x : m.entries())
      x = Rational(static_cast<long>(source() % (2 * static_cast<unsigned>(size) + 1)) - size, 16);
    return m;
  };
  heed::KernelInstance k;
  for (int i = 0; i < 4; ++i) {
    k.X.push_back(matrix(4, D, 24));
    k.Y.push_back(matrix(4, 2, 24));
  }
  k.readout = heed::token_readout(4);
  k.beta = {Rational(1, 2), false};
  k.weights = {{matrix(D, d, 10)}, {matrix(D, d, 10)}, {matrix(D, 2, 24)}, {matrix(2, 2, 24)}};
  return {k, kernel, *heed::KernelBlocks::parse(trained)};
}

TEST_CASE("minima in 5 to 30 coordinates: descent stays in the balls that are found") {
  std::size_t found = 0, coordinates = 0;
  for (const AttentionKernel kernel : landscape_test::all_kernels())
    for (const auto& [D, d, trained] : {std::tuple{6u, 1u, "W_Q"},
                                        {6u, 1u, "W_K"},
                                        {4u, 3u, "W_Q"},
                                        {4u, 1u, "W_Q,W_V"},
                                        {10u, 1u, "W_Q,W_V"}}) {
      const LandscapeProblem p = drawn(D + d, D, d, kernel, trained);
      heed::LandscapeOptions options;
      options.search.starts = 6;
      options.search.most = 3;
      options.traps = false;
      for (const auto& r : analyse(p, options).points) {
        if (r.kind != heed::PointKind::strict_minimum) continue;
        const TrapBall t = widest_trap(p, r.box);
        INFO(heed::kernel_word(kernel) << " " << trained << " " << p.parameters());
        REQUIRE(t.verdict.kind == VerdictKind::proved);
        CHECK(t.one_minimum);
        // The start radius cannot exceed what the Hessian at the centre alone would give by much.
        CHECK(t.start_radius <= t.radius);
        require_trapped(p, t, 60);
        ++found;
        coordinates = std::max(coordinates, p.parameters());
        break;
      }
    }
  CHECK(found >= 8);
  CHECK(coordinates >= 18);
}

TEST_CASE("boxes and balls around minima of many coordinates, where a cover does not end") {
  std::size_t proved = 0;
  for (const unsigned seed : {3u, 7u, 13u}) {
    const LandscapeProblem p = drawn(seed, 6, 1, AttentionKernel::gaussian, "W_Q");
    heed::LandscapeOptions options;
    options.search.starts = 8;
    options.search.most = 3;
    options.traps = false;
    for (const auto& r : analyse(p, options).points) {
      if (r.kind != heed::PointKind::strict_minimum) continue;
      const TrapBall t = widest_trap(p, r.box);
      REQUIRE(t.verdict.kind == VerdictKind::proved);
      std::vector<Rational> start = t.centre, lower = start, upper = start;
      start[1] += t.start_radius / Rational(2);
      const auto ball = certify_trap(p, TrapRegion::ball(t.centre, t.radius), start);
      CHECK(ball.verdict.kind == VerdictKind::proved);
      CHECK(ball.route == heed::TrapRoute::curvature);
      CHECK(certainly(less_equal(ball.start_loss, t.start_loss)));
      for (std::size_t k = 0; k < start.size(); ++k) {
        lower[k] -= t.radius / Rational(6);
        upper[k] += t.radius / Rational(5);
      }
      const TrapRegion region = TrapRegion::box(lower, upper);
      const auto box = certify_trap(p, region, t.centre);
      CHECK(box.verdict.kind == VerdictKind::proved);
      CHECK(box.route == heed::TrapRoute::curvature);
      CHECK(box.one_minimum);
      CHECK(to_string(box.route) == std::string("curvature"));
      heed::TrapOptions cover;
      cover.by_curvature = false;
      cover.cells = 300;
      const auto covered = certify_trap(p, region, t.centre, {}, cover);
      CHECK(covered.verdict.kind == VerdictKind::undecided);
      CHECK(covered.route == heed::TrapRoute::none);
      // Outside of the ball, inside of the box around it.
      std::vector<Rational> corner = t.centre;
      for (Rational& x : corner) x += t.radius * Rational(9, 10);
      CHECK(certify_trap(p, TrapRegion::ball(t.centre, t.radius), corner).verdict.reason ==
            "theta_0 is not in B");
      ++proved;
      break;
    }
  }
  CHECK(proved >= 2);
}

TEST_CASE("what has no ball") {
  // W_Q and W_K of softmax.
  LandscapeProblem both = landscape_test::coupled_pair();
  both.trained = *heed::KernelBlocks::parse("W_Q,W_K");
  auto t = widest_trap(both, {both.start(), Rational(0), {}});
  CHECK(t.verdict.kind == VerdictKind::not_applicable);
  CHECK(t.verdict.reason.find("W_Q and W_K") != std::string::npos);
  // Rotations of queries and keys: frozen coordinates along directions that move with the point.
  const LandscapeProblem turned = drawn(4, 2, 2, AttentionKernel::gaussian, "W_Q,W_K");
  t = widest_trap(turned, {turned.start(), Rational(0), {1}});
  CHECK(t.verdict.kind == VerdictKind::not_applicable);
  CHECK(t.verdict.reason.find("frozen") != std::string::npos);
  // A maximum, and a point with a slope.
  const LandscapeProblem sm1 = landscape_test::sm1();
  CHECK(widest_trap(sm1, {constant(5, "0.41774678343381595"), Rational(0), {}}).verdict.kind ==
        VerdictKind::undecided);
  CHECK(widest_trap(sm1, {constant(5, "1/4"), Rational(0), {}}).verdict.kind ==
        VerdictKind::undecided);
  CHECK_THROWS_AS(widest_trap(sm1, {constant(4, "0"), Rational(0), {}}), std::invalid_argument);
}

TEST_CASE("across flat directions the ball is one of the other coordinates") {
  // Two orthonormal tokens, queries 1 and -2, values 0 and 1: f depends on k_1 - k_2 alone.
  LandscapeProblem p{landscape_test::layer(landscape_test::problem(
                         AttentionKernel::softmax, {"1/10", "0"}, {"0", "1"}, "1/3")),
                     AttentionKernel::softmax, KernelBlock::key};
  p.instance.weights.W_Q[0](0, 0) = Rational(1);
  p.instance.weights.W_Q[0](1, 0) = Rational(-2);
  const auto minimum = certify_point(p, {p.start(), Rational(0), {}}, {});
  REQUIRE(minimum.kind == heed::PointKind::minimum_modulo_gauge);
  const TrapBall t = widest_trap(p, minimum.box);
  REQUIRE(t.verdict.kind == VerdictKind::proved);
  REQUIRE(t.flat.size() == 1);
  CHECK(t.one_minimum);
  CHECK(t.radius > Rational(1, 20));
  // The bound of the boundary holds at c +- radius (1, -1) / sqrt 2, and far away along (1, 1).
  const heed::PrecisionScope precision(128);
  for (const int sign : {1, -1}) {
    const Ball x = Ball(sign) * Ball(t.radius) / sqrt(Ball(2));
    const std::vector<Ball> theta = {Ball(t.centre[0]) + x + Ball(7),
                                     Ball(t.centre[1]) - x + Ball(7)};
    const Ball loss = heed::LandscapeModel(p).at(theta).loss();
    CHECK(!certainly(less(loss, t.boundary_loss)));
    CHECK(certainly(less(loss, Ball(3) * t.boundary_loss + Ball(1))));
  }
}

TEST_CASE("reports carry the trap of a minimum that is not global") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::gaussian);
  const auto report = certify_point(ref.problem, ref.box, {}, ref.witness);
  REQUIRE(report.trap);
  CHECK(report.trap->fails_forever.kind == VerdictKind::proved);
  heed::LandscapeOptions without;
  without.traps = false;
  CHECK(!certify_point(ref.problem, ref.box, without, ref.witness).trap);
  CHECK(!certify_point(ref.problem, ref.box, {}).trap);  // no witness: not proved non-global
}

}  // namespace
