// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/zero_loss.hpp"

#include <catch2/catch.hpp>

#include "heed/landscape/analyse.hpp"
#include "heed/landscape/detail/double_descent.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"

using heed::AttentionKernel;
using heed::Ball;
using heed::LandscapeOptions;
using heed::LandscapeProblem;
using heed::PointKind;
using heed::Rational;
using heed::VerdictKind;

namespace {

// X = I_2 and W_Q = W_K = 0 but for the second query: softmax rows (1/2, 1/2) and (s, 1 - s).
LandscapeProblem two_rows(const Rational& second_query) {
  LandscapeProblem p = landscape_test::fixture_problem("kernel_08_joint_saddle.json",
                                                       AttentionKernel::softmax, "W_V");
  p.instance.weights.W_Q[0](1, 0) = second_query;
  p.instance.weights.W_K[0](0, 0) = Rational(1);
  return p;
}

bool notes_say(const heed::LandscapeReport& report, const std::string& words) {
  for (const std::string& note : report.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE(
    "zero_loss: the exact zero of a linear problem lies within the radius, which is its bound") {
  const heed::PrecisionScope scope(128);
  const LandscapeProblem p = two_rows(Rational(2));
  const auto z = certify_zero_loss(p, p.start());
  REQUIRE(z.verdict.kind == VerdictKind::proved);
  // F = S W_V W_O = Y has the one solution W_V = S^-1 Y / W_O.
  const Ball e = exp(Ball(p.instance.beta.value) * Ball(2)), s = e / (e + Ball(1));
  const Ball half = Ball(1) / Ball(2), w(p.instance.weights.W_O[0](0, 0));
  const auto y = [&](std::size_t a) { return Ball(p.instance.Y[0](a, 0)) / w; };
  const Ball determinant = half * (Ball(1) - s) - half * s;
  const Ball v0 = ((Ball(1) - s) * y(0) - half * y(1)) / determinant,
             v1 = (half * y(1) - s * y(0)) / determinant;
  const Ball distance = sqrt(square(v0 - Ball(p.start()[0])) + square(v1 - Ball(p.start()[1])));
  CHECK(certainly(less_equal(distance, z.radius)));
  // t* = |r| / sigma where L_J = 0.
  const Ball r = sqrt(Ball(2) * heed::LandscapeModel(p).at(p.start()).loss());
  CHECK(z.radius.overlaps(r / z.sigma));
  CHECK(certainly(less(z.radius, Ball(100) * distance)));
}

TEST_CASE("zero_loss: what is not proved is not applicable, with the reason") {
  const heed::PrecisionScope scope(128);
  const LandscapeProblem flat = two_rows(Rational());
  const auto rank = certify_zero_loss(flat, flat.start());
  CHECK(rank.verdict.kind == VerdictKind::not_applicable);
  CHECK(rank.verdict.reason.find("mu of W_V") != std::string::npos);
  LandscapeProblem far =
      landscape_test::fixture_problem("kernel_02_heads.json", AttentionKernel::softmax, "W_Q,W_K");
  const auto large = certify_zero_loss(far, far.start());
  CHECK(large.verdict.kind == VerdictKind::not_applicable);
  CHECK(large.verdict.reason.find("h > 1/2") != std::string::npos);
  CHECK_THROWS_AS(certify_zero_loss(far, {Rational(1)}), std::invalid_argument);
}

TEST_CASE("least squares reach zeros of the loss, for more coordinates than residuals only") {
  const LandscapeProblem p =
      landscape_test::fixture_problem("kernel_02_heads.json", AttentionKernel::gaussian, "all");
  const heed::approx::DoubleLandscape f(p);
  REQUIRE(f.size() > f.residuals());
  std::vector<double> start;
  for (const Rational& x : p.start()) start.push_back(x.nearest_double());
  const auto end = heed::approx::levenberg_marquardt(f, start, 200);
  CHECK(end.converged);
  CHECK(f.loss(end.point) < 1e-26);
  CHECK(f.loss(start) > 1e-3);
  const auto none = heed::approx::levenberg_marquardt(f, start, 0);
  CHECK_FALSE(none.converged);
  CHECK(none.point == start);
  std::vector<double> nan = start;
  nan[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(heed::approx::levenberg_marquardt(f, nan, 10).converged);
}

TEST_CASE("the work of a search and of its certificates is bounded, and the notes say so") {
  const LandscapeProblem p =
      landscape_test::fixture_problem("kernel_02_heads.json", AttentionKernel::gaussian, "all");
  LandscapeOptions options;
  options.search.starts = 12;
  options.search.work = 1;
  const auto few = analyse(p, options);
  CHECK(few.statistics.starts < 13);
  CHECK(notes_say(few, "the search ended after"));
  for (const auto& point : few.points)
    if (point.kind == PointKind::near_zero_loss)
      CHECK(point.zero_loss->verdict.kind == VerdictKind::proved);
  const LandscapeProblem pair = landscape_test::fixture_problem("kernel_07_gauss_bad_min.json",
                                                                AttentionKernel::gaussian, "W_Q");
  options = {};
  options.search.starts = 4;
  options.work = 1;
  const auto none = analyse(pair, options);
  CHECK(none.points.empty());
  CHECK(notes_say(none, "were not certified"));
}
