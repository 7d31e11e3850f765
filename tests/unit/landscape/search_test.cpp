// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/search.hpp"

#include <catch2/catch.hpp>

#include "heed/landscape/analyse.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::AttentionKernel;
using heed::Ball;
using heed::LandscapeProblem;
using heed::PointKind;
using heed::Rational;
using heed::VerdictKind;
using landscape_test::constant;

std::vector<heed::approx::Candidate> found(const LandscapeProblem& problem, std::uint64_t seed,
                                           std::size_t most = 64) {
  heed::SearchOptions options;
  options.seed = seed;
  options.most = most;
  heed::approx::SearchStatistics statistics;
  const auto candidates = find_candidates(problem, options, statistics);
  CHECK(statistics.starts == 65);
  CHECK(statistics.converged + statistics.diverged == statistics.starts);
  CHECK(statistics.distinct >= candidates.size());
  return candidates;
}

TEST_CASE("the same seed finds the same candidates, by rising loss, each once") {
  const auto problem = landscape_test::coupled_reference(AttentionKernel::gaussian).problem;
  const auto a = found(problem, 3), b = found(problem, 3), c = found(problem, 4);
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    CHECK(a[k].point == b[k].point);
    CHECK(a[k].hits == b[k].hits);
    if (k > 0) CHECK(a[k - 1].loss <= a[k].loss);
  }
  CHECK((a.size() != c.size() || a.front().point != c.front().point ||
         a.back().point != c.back().point));
  CHECK(found(problem, 3, 2).size() == 2);
}

TEST_CASE("points of one orbit count once") {
  const auto problem =
      landscape_test::fixture_problem("kernel_03_tiny.json", AttentionKernel::softmax, "all");
  const auto candidates = found(problem, 1);
  CHECK(candidates.size() == 2);
}

TEST_CASE("a gradient that underflows is no candidate") {
  // Far from every key gradients of the gaussian vanish in double: exactly 0, not stationary.
  LandscapeProblem problem{
      landscape_test::layer(landscape_test::named("PAIR", AttentionKernel::gaussian)),
      AttentionKernel::gaussian, heed::KernelBlock::query};
  for (Rational& x : problem.instance.weights.W_Q[0].entries()) x = Rational(200);
  heed::SearchOptions options;
  options.starts = 0;
  heed::approx::SearchStatistics statistics;
  CHECK(find_candidates(problem, options, statistics).empty());
  const auto report = certify_point(problem, {problem.start(), Rational(0), {}}, {});
  CHECK(report.kind == PointKind::unknown);
  heed::PointBox box{problem.start(), Rational::parse("1e-9"), {}};
  CHECK(certify_point(problem, box, {}).kind == PointKind::unknown);
}

TEST_CASE("candidates with attention that underflows are counted and left out") {
  LandscapeProblem problem{
      landscape_test::layer(landscape_test::named("PAIR", AttentionKernel::softmax)),
      AttentionKernel::softmax, heed::KernelBlock::value};
  for (Rational& x : problem.instance.weights.W_Q[0].entries()) x = Rational(200);
  heed::SearchOptions options;
  options.starts = 0;
  heed::approx::SearchStatistics statistics;
  CHECK(find_candidates(problem, options, statistics).empty());
  CHECK(statistics.underflow == 1);
  CHECK(statistics.converged == 1);
}

TEST_CASE("refined centres have the digits asked for") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::softmax);
  std::vector<Rational> start = ref.box.centre;
  for (Rational& x : start) x += Rational(1, 10'000);
  const auto ten = heed::approx::refine(ref.problem, start, {}, 10);
  const auto hundred = heed::approx::refine(ref.problem, start, {}, 100);
  REQUIRE(ten);
  REQUIRE(hundred);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(abs((*hundred)[k] - ref.box.centre[k]) <= Rational::parse("1e-20"));
    CHECK(abs((*hundred)[k] - (*ten)[k]) <= Rational::parse("5.1e-11"));
  }
  const heed::PrecisionScope precision(512);
  const auto g = heed::LandscapeModel(ref.problem).at(*hundred).gradient();
  for (const Ball& x : flatten(g, heed::KernelBlock::query))
    CHECK(certainly(less(abs(x), heed::power_of_ten(-96))));
  CHECK(!heed::approx::refine(ref.problem, constant(2, "1000"), {}, 20));
}

TEST_CASE("a report finds bad minima of SM1 and says what is known of each") {
  heed::LandscapeOptions options;
  options.search.starts = 30;
  const auto report = analyse(landscape_test::sm1(), options);
  CHECK(report.statistics.distinct > 5);
  REQUIRE(report.low_point);
  CHECK(certainly(less(report.low_loss, Ball(1e-6))));
  int bad = 0;
  for (const auto& p : report.points) {
    if (p.kind == PointKind::unknown) {
      CHECK(!p.reason.empty());
      continue;
    }
    CHECK(p.stationary.verdict.kind == VerdictKind::proved);
    CHECK(p.box.radius == options.radius);
    REQUIRE(p.non_global);
    if (p.kind == PointKind::strict_minimum && p.non_global->verdict.kind == VerdictKind::proved) {
      ++bad;
      CHECK(certainly(less(Ball(0.019), p.loss)));
    }
  }
  CHECK(bad >= 3);
}

TEST_CASE("zeros of the loss that are not isolated: a point with f = 0 is proved close by") {
  const auto problem = landscape_test::fixture_problem("kernel_07_gauss_bad_min.json",
                                                       AttentionKernel::softmax, "W_Q,W_K");
  heed::LandscapeOptions options;
  options.search.starts = 10;
  const auto report = analyse(problem, options);
  bool seen = false;
  for (const auto& p : report.points)
    if (certainly(less(p.loss, Ball(1e-16)))) {
      seen = true;
      CHECK(p.kind == PointKind::near_zero_loss);
      REQUIRE(p.zero_loss);
      CHECK(p.zero_loss->verdict.kind == VerdictKind::proved);
      CHECK(certainly(less(p.zero_loss->radius, Ball(1e-6))));
      CHECK(p.stationary.verdict.kind != VerdictKind::proved);
    }
  CHECK(seen);
  LandscapeProblem nothing = problem;
  nothing.trained = heed::KernelBlocks();
  CHECK_THROWS_AS(analyse(nothing, options), std::invalid_argument);
  CHECK(certify_stationary(nothing, {{}, Rational(1), {}}).verdict.kind ==
        VerdictKind::not_applicable);
}

TEST_CASE("witnesses") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::softmax);
  auto untrained = ref.witness;
  untrained.W_K[0](0, 0) += Rational(1, 1000);
  const auto refused = certify_non_global(ref.problem, ref.box, untrained);
  CHECK(refused.verdict.kind == VerdictKind::not_applicable);
  CHECK(refused.verdict.reason.find("W_K") != std::string::npos);
  const auto itself = certify_non_global(ref.problem, ref.box, ref.problem.weights(ref.box.centre));
  CHECK(itself.verdict.kind == VerdictKind::undecided);
  auto shape = ref.witness;
  shape.W_Q[0] = heed::Matrix<Rational>(1, 1);
  CHECK_THROWS_AS(certify_non_global(ref.problem, ref.box, shape), std::invalid_argument);
  // Frozen coordinates are trained: a witness may differ there.
  heed::PointBox gauged = ref.box;
  gauged.frozen = {1};
  CHECK(certify_non_global(ref.problem, gauged, ref.witness).verdict.kind == VerdictKind::proved);
  const auto low = heed::approx::low_point(ref.problem, 5, 30);
  CHECK(certify_non_global(ref.problem, ref.box, ref.problem.weights(low)).verdict.kind ==
        VerdictKind::proved);
  for (const Rational& x : low) CHECK(x.is_dyadic());
}

TEST_CASE("directions and eigenvectors that are given") {
  const auto ref = landscape_test::coupled_reference(AttentionKernel::gaussian);
  const std::vector<Rational> e{Rational(1), Rational(0)};
  // Eigenvalues 9.4 and 567: no direction goes down, whatever u is.
  CHECK(certify_not_minimum(ref.problem, ref.box, e).verdict.kind == VerdictKind::undecided);
  CHECK(certify_saddle(ref.problem, ref.box, e, e).verdict.kind == VerdictKind::undecided);
  heed::PointBox frozen = ref.box;
  frozen.frozen = {0};
  CHECK_THROWS_AS(certify_not_minimum(ref.problem, frozen, e), std::invalid_argument);
  CHECK_THROWS_AS(certify_saddle(ref.problem, ref.box, constant(3, "1"), e), std::invalid_argument);
  heed::Matrix<Rational> V(2, 2);
  V(0, 0) = V(1, 1) = Rational(1);
  CHECK(certify_index(ref.problem, ref.box, V).verdict.kind == VerdictKind::undecided);
  auto doubled = certify_index(ref.problem, ref.box).V;  // |I - V^T V| = 3
  for (Rational& x : doubled.entries()) x *= Rational(2);
  CHECK(certify_index(ref.problem, ref.box, doubled).verdict.reason.find("V^T V") !=
        std::string::npos);
  V(1, 1) = Rational(0);  // singular
  CHECK(certify_index(ref.problem, ref.box, V).verdict.kind == VerdictKind::undecided);
  CHECK_THROWS_AS(certify_index(ref.problem, ref.box, heed::Matrix<Rational>(1, 1)),
                  std::invalid_argument);
  // A saddle needs both directions.
  const auto report = analyse(ref.problem, [] {
    heed::LandscapeOptions o;
    o.search.starts = 300;
    return o;
  }());
  bool seen = false;
  for (const auto& p : report.points) {
    if (p.kind != PointKind::saddle) continue;
    seen = true;
    const auto& s = p.curvature.saddle;
    CHECK(p.curvature.index.index == 1);
    CHECK(certify_saddle(ref.problem, p.box, s.u, s.v).verdict.kind == VerdictKind::proved);
    CHECK(certify_saddle(ref.problem, p.box, s.v, s.v).verdict.kind == VerdictKind::undecided);
    CHECK(certify_saddle(ref.problem, p.box, s.u, s.u).verdict.kind == VerdictKind::undecided);
    CHECK(certify_minimum(ref.problem, p.box).verdict.kind == VerdictKind::undecided);
  }
  CHECK(seen);
}

}  // namespace
