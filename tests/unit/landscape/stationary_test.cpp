// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/stationary.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "heed/landscape/curvature_test.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/landscape/non_global.hpp"
#include "heed/landscape/stationary_exact.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::AttentionKernel;
using heed::Ball;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::PointBox;
using heed::Rational;
using heed::VerdictKind;
using landscape_test::constant;
using landscape_test::is_near;

const AttentionKernel two_kernels[] = {AttentionKernel::softmax, AttentionKernel::gaussian};

TEST_CASE("reference minima of coupled tokens, from their centres") {
  for (const AttentionKernel kernel : two_kernels) {
    INFO(heed::kernel_word(kernel));
    const auto ref = landscape_test::coupled_reference(kernel);
    const auto stationary = certify_stationary(ref.problem, ref.box);
    CHECK(stationary.verdict.kind == VerdictKind::proved);
    CHECK(stationary.isolated);
    REQUIRE(stationary.image.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(certainly(less(Ball(ref.box.centre[k] - ref.box.radius), stationary.image[k])));
      CHECK(certainly(less(stationary.image[k], Ball(ref.box.centre[k] + ref.box.radius))));
      CHECK(stationary.image[k].contains(ref.box.centre[k]));
    }
    // The reference ends are one method's; ours may be wider by a little, and must overlap.
    CHECK(certainly(less(Ball(ref.loss_low - Rational::parse("1e-5")), stationary.loss)));
    CHECK(certainly(less(stationary.loss, Ball(ref.loss_high + Rational::parse("1e-5")))));
    CHECK(stationary.loss.overlaps(Ball::hull(Ball(ref.loss_low), Ball(ref.loss_high))));

    const auto minimum = certify_minimum(ref.problem, ref.box);
    CHECK(minimum.verdict.kind == VerdictKind::proved);
    CHECK(minimum.words == "strict local minimum");
    const Ball slack = Ball::symmetric(Ball(ref.eigenvalues[1] * Rational::parse("1e-10")));
    CHECK(minimum.least.overlaps(Ball(ref.eigenvalues[0]) + slack));
    CHECK(minimum.largest.overlaps(Ball(ref.eigenvalues[1]) + slack));
    CHECK(minimum.least.has_relative_digits(3));

    const auto index = certify_index(ref.problem, ref.box);
    CHECK(index.verdict.kind == VerdictKind::proved);
    CHECK(index.index == 0);
    CHECK(certify_not_minimum(ref.problem, ref.box).verdict.kind == VerdictKind::undecided);
    CHECK(certify_saddle(ref.problem, ref.box).verdict.kind == VerdictKind::undecided);

    const auto bad = certify_non_global(ref.problem, ref.box, ref.witness);
    CHECK(bad.verdict.kind == VerdictKind::proved);
    CHECK(certainly(less(bad.witness_loss, Ball(ref.witness_loss + Rational::parse("1e-15")))));
    CHECK(certainly(less(Ball(30), bad.gap)));
    landscape_test::require_stationary_at_high_precision(ref.problem, ref.box);
  }
}

TEST_CASE("reference minima of coupled tokens, from random starts") {
  for (const AttentionKernel kernel : two_kernels) {
    INFO(heed::kernel_word(kernel));
    const auto ref = landscape_test::coupled_reference(kernel);
    heed::LandscapeOptions options;
    options.search.starts = 300;
    const auto report = analyse(ref.problem, options);
    bool found = false;
    for (const auto& p : report.points) {
      bool same = true;
      for (std::size_t k = 0; k < 2; ++k)
        same = same && abs(p.box.centre[k] - ref.box.centre[k]) <= Rational::parse("1e-15");
      if (!same) continue;
      found = true;
      CHECK(p.kind == heed::PointKind::strict_minimum);
      REQUIRE(p.non_global);
      CHECK(p.non_global->verdict.kind == VerdictKind::proved);
      CHECK(certainly(less(p.non_global->witness_loss, Ball(ref.witness_loss) + Ball(0.01))));
    }
    CHECK(found);
  }
}

TEST_CASE("two coupled tokens suffice for a bad minimum of softmax") {
  const LandscapeProblem problem = landscape_test::coupled_pair();
  heed::LandscapeOptions options;
  const auto witness = problem.weights(constant(1, "-1/16"));
  const auto p = certify_point(problem, {constant(1, "0.26"), Rational(0), {}}, options, witness);
  CHECK(p.kind == heed::PointKind::strict_minimum);
  CHECK(abs(p.box.centre[0] - Rational::parse("0.259039516150727")) <= Rational::parse("1e-15"));
  CHECK(is_near(p.curvature.minimum.least, "9.2358", 4));
  CHECK(is_near(p.loss, "12.4922667", 7));
  REQUIRE(p.non_global);
  CHECK(p.non_global->verdict.kind == VerdictKind::proved);
  CHECK(certainly(less_equal(p.non_global->witness_loss, Ball(Rational::parse("2.00228")))));
  landscape_test::require_stationary_at_high_precision(problem, p.box);
}

TEST_CASE("GA1, PAIR and SM1: bad minima and maxima of separate tokens") {
  heed::LandscapeOptions options;
  const auto point = [&](const std::string& name, AttentionKernel kernel,
                         const std::string& query) {
    const LandscapeProblem problem{landscape_test::layer(landscape_test::named(name, kernel)),
                                   kernel, heed::KernelBlock::query};
    const auto start = constant(problem.parameters(), query);
    const auto p = certify_point(problem, {start, Rational(0), {}}, options);
    landscape_test::require_stationary_at_high_precision(problem, p.box);
    return p;
  };
  const auto ga1 = point("GA1", AttentionKernel::gaussian, "0");
  CHECK(ga1.kind == heed::PointKind::strict_minimum);
  CHECK(is_near(ga1.curvature.minimum.least, "0.78258295", 7));
  CHECK(is_near(ga1.loss, "0.95678225", 7));
  const auto pair = point("PAIR", AttentionKernel::gaussian, "1e-7");
  CHECK(pair.kind == heed::PointKind::strict_minimum);
  CHECK(abs(pair.box.centre[0] - Rational::parse("1.8275995e-7")) <= Rational::parse("1e-14"));
  const auto sm1 = point("SM1", AttentionKernel::softmax, "0");
  CHECK(sm1.kind == heed::PointKind::strict_minimum);
  CHECK(is_near(sm1.curvature.minimum.least, "0.296", 6));
  const auto top = point("SM1", AttentionKernel::softmax, "0.4177");
  CHECK(top.kind == heed::PointKind::not_minimum);
  CHECK(top.curvature.index.index == 5);
  CHECK(abs(top.box.centre[3] - Rational::parse("0.41774678343381595")) <=
        Rational::parse("1e-16"));
  CHECK(top.curvature.saddle.verdict.kind == VerdictKind::undecided);
  const auto softmax_on_ga1 = point("GA1", AttentionKernel::softmax, "0");
  CHECK(softmax_on_ga1.kind == heed::PointKind::not_minimum);
  CHECK(softmax_on_ga1.exact);
}

TEST_CASE("boxes that must not be certified") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::softmax);
  const auto undecided = [&](const PointBox& box, Matrix<Rational> A = {}) {
    const auto r = certify_stationary(ref.problem, box, std::move(A));
    CHECK(r.verdict.kind == VerdictKind::undecided);
    CHECK(!r.isolated);
    CHECK(!r.verdict.reason.empty());
  };
  for (const std::string side : {"", "-"})
    for (std::size_t k = 0; k < 2; ++k)
      for (const std::string distance : {"1.5e-9", "1.001e-9"}) {
        PointBox shifted = ref.box;  // the zero lies outside of the box
        shifted.centre[k] += Rational::parse(side + distance);
        undecided(shifted);
      }
  PointBox wide = ref.box;
  wide.radius = Rational(1);
  undecided(wide);
  undecided(ref.box, Matrix<Rational>(2, 2));  // K = box for A = 0: not strictly inside
  CHECK_THROWS_AS(certify_stationary(ref.problem, ref.box, Matrix<Rational>(1, 2)),
                  std::invalid_argument);
  PointBox point = ref.box;
  point.radius = Rational(0);
  CHECK(certify_stationary(ref.problem, point).verdict.kind == VerdictKind::not_applicable);
  PointBox all_frozen = ref.box;
  all_frozen.frozen = {0, 1};
  CHECK(certify_stationary(ref.problem, all_frozen).verdict.kind == VerdictKind::not_applicable);
  PointBox bad = ref.box;
  bad.frozen = {1, 0};
  CHECK_THROWS_AS(certify_stationary(ref.problem, bad), std::invalid_argument);
  bad.frozen = {2};
  CHECK_THROWS_AS(certify_stationary(ref.problem, bad), std::invalid_argument);
  bad = ref.box;
  bad.centre.pop_back();
  CHECK_THROWS_AS(certify_stationary(ref.problem, bad), std::invalid_argument);
  bad = ref.box;
  bad.radius = Rational(-1);
  CHECK_THROWS_AS(certify_stationary(ref.problem, bad), std::invalid_argument);

  // A zero of the gradient that is frozen in one coordinate says nothing of the other.
  PointBox half = ref.box;
  half.frozen = {1};
  const auto r = certify_stationary(ref.problem, half);
  CHECK(r.isolated);
  CHECK(r.verdict.kind == VerdictKind::not_applicable);
}

TEST_CASE("balls hold the exact box, and little more") {
  const PointBox box{{Rational(1, 3), Rational(-2, 7), Rational(5)}, Rational(1, 1000), {1}};
  CHECK(box.free_indices() == std::vector<std::size_t>{0, 2});
  const auto balls = enclose_box(box);
  for (const std::size_t k : {0u, 2u}) {
    CHECK(balls[k].contains(box.centre[k] + box.radius));
    CHECK(balls[k].contains(box.centre[k] - box.radius));
    CHECK(!balls[k].contains(box.centre[k] + box.radius * Rational::parse("1.00001")));
  }
  CHECK(balls[1].contains(box.centre[1]));
  CHECK(balls[1].has_relative_digits(30));
}

TEST_CASE("names of coordinates") {
  const auto problem =
      landscape_test::fixture_problem("kernel_01_generic.json", AttentionKernel::softmax, "all");
  CHECK(coordinate_name(problem, 0) == "W_Q[head 0](0, 0)");
  CHECK(coordinate_name(problem, 7) == "W_Q[head 0](3, 1)");
  CHECK(coordinate_name(problem, 8) == "W_K[head 0](0, 0)");
  CHECK(coordinate_name(problem, 24) == "W_O[head 0](0, 0)");
}

TEST_CASE("a preconditioner may be given, and any that works proves the same") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::gaussian);
  const auto own = certify_stationary(ref.problem, ref.box);
  Matrix<Rational> A = own.preconditioner;
  for (Rational& a : A.entries()) a *= Rational(5, 4);
  const auto other = certify_stationary(ref.problem, ref.box, A);
  CHECK(other.verdict.kind == VerdictKind::proved);
  CHECK(other.preconditioner == A);
  for (std::size_t k = 0; k < 2; ++k) CHECK(own.image[k].overlaps(other.image[k]));
  for (Rational& a : A.entries()) a *= Rational(-1);
  CHECK(certify_stationary(ref.problem, ref.box, A).verdict.kind == VerdictKind::undecided);
}

TEST_CASE("two outputs and one value: freezing W_O is not a gauge") {
  const LandscapeProblem problem = landscape_test::two_outputs();
  const PointBox box{problem.start(), Rational::parse("1e-6"), {1, 2}};
  const auto r = certify_stationary(problem, box);
  // W_V = 1 is an isolated zero of the free gradient, with Hessian 1, and yet not stationary.
  CHECK(r.isolated);
  CHECK(certify_minimum(problem, box).verdict.kind == VerdictKind::proved);
  CHECK(r.verdict.kind == VerdictKind::not_applicable);
  CHECK(r.verdict.reason.find("not transversal") != std::string::npos);
  CHECK(certainly(less(Ball(0.9), r.gradient_norm)));
  // One column of W_O is a gauge; then the point is no zero of the free gradient.
  const PointBox column{problem.start(), Rational::parse("1e-6"), {1}};
  const auto gauged = certify_stationary(problem, column);
  CHECK(gauged.transversal.kind == VerdictKind::proved);
  CHECK(gauged.verdict.kind == VerdictKind::undecided);
}

TEST_CASE("all of W_Q and W_K frozen at 0: a minimum of the slice that is a saddle of all blocks") {
  // J1: at W_Q = 0 all directions of W_K are flat, at W_K = 0 all of W_Q, but not together.
  const auto problem = landscape_test::fixture_problem("kernel_08_joint_saddle.json",
                                                       AttentionKernel::softmax, "W_Q,W_K,W_O");
  const PointBox box{problem.start(), Rational::parse("1e-6"), {0, 1, 2, 3}};
  CHECK(certify_stationary(problem, box).verdict.kind == VerdictKind::proved);
  CHECK(transversality(problem, box, heed::FlatScope::nearby).kind == VerdictKind::not_applicable);
  const auto minimum = certify_minimum(problem, box);
  CHECK(minimum.verdict.kind == VerdictKind::proved);
  CHECK(!minimum.of_all);
  CHECK(minimum.words.find("of all") == std::string::npos);
  CHECK(certify_point(problem, box, {}).kind == heed::PointKind::minimum_in_slice);
  std::vector<Rational> v(5);
  v[0] = v[2] = Rational(1);
  v[1] = v[3] = Rational(-1);
  CHECK(curvature_along(certify_stationary_exact(problem, problem.start()).hessian, v).sign() < 0);
}

TEST_CASE("jointly trained blocks: never without a gauge, always with one") {
  for (const AttentionKernel kernel : two_kernels) {
    INFO(heed::kernel_word(kernel));
    const auto problem =
        landscape_test::fixture_problem("kernel_01_generic.json", kernel, "W_Q,W_K");
    heed::LandscapeOptions options;
    options.search.starts = 20;
    const auto report = analyse(problem, options);
    REQUIRE(!report.points.empty());
    const auto& p = report.points.front();
    CHECK(p.kind == heed::PointKind::minimum_modulo_gauge);
    CHECK(p.box.frozen.size() == (kernel == AttentionKernel::softmax ? 12 : 6));
    CHECK(p.curvature.minimum.words.find("slice") != std::string::npos);
    landscape_test::require_stationary_at_high_precision(problem, p.box);
    PointBox ungauged = p.box;
    ungauged.frozen.clear();
    CHECK(certify_stationary(problem, ungauged).verdict.kind == VerdictKind::undecided);
    // One gauge coordinate fewer leaves a direction along which the box cannot shrink.
    PointBox fewer = p.box;
    fewer.frozen.pop_back();
    CHECK(certify_stationary(problem, fewer).verdict.kind == VerdictKind::undecided);
    // One more is not reached by the flat directions.
    PointBox more = p.box;
    more.frozen.push_back(p.box.free_indices().front());
    std::sort(more.frozen.begin(), more.frozen.end());
    CHECK(certify_stationary(problem, more).verdict.kind == VerdictKind::not_applicable);
  }
}

}  // namespace
