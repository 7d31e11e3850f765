// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/landscape/analyse.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::AttentionKernel;
using heed::Ball;
using heed::LandscapeProblem;
using heed::Rational;
using heed::VerdictKind;
using landscape_test::constant;
using landscape_test::fixture_problem;

const std::string j1 = "kernel_08_joint_saddle.json", j1g = "kernel_12_joint_saddle_gauss.json";

TEST_CASE("J1: stationary in all blocks, curvature exactly -1") {
  const LandscapeProblem all = fixture_problem(j1, AttentionKernel::softmax, "all");
  const auto r = certify_stationary_exact(all, all.start());
  CHECK(r.verdict.kind == VerdictKind::proved);
  CHECK(r.loss == Rational(1));
  std::vector<Rational> v(all.parameters());
  v[0] = v[2] = Rational(1, 2);
  v[1] = v[3] = Rational(-1, 2);
  CHECK(curvature_along(r.hessian, v) == Rational(-1));
  // W_V = (3, -1) and attention (3/4, 1/4), (1/4, 3/4) attain 0: the point is not global.
  const LandscapeProblem both = fixture_problem(j1, AttentionKernel::softmax, "W_Q,W_K");
  const auto pair = certify_stationary_exact(both, both.start());
  v.resize(4);
  CHECK(curvature_along(pair.hessian, v) == Rational(-1));
  const auto report = certify_point(all, {all.start(), Rational(0), {}}, {});
  CHECK(report.kind == heed::PointKind::saddle);
  CHECK(report.exact);
  CHECK(report.box.radius == Rational(0));
  CHECK(certainly(negative(report.curvature.saddle.along_v)));
  CHECK(certainly(positive(report.curvature.saddle.along_u)));
  CHECK(report.curvature.index.verdict.kind == VerdictKind::undecided);  // a zero eigenvalue
}

TEST_CASE("J1G: the Gaussian counterpart") {
  const LandscapeProblem all = fixture_problem(j1g, AttentionKernel::gaussian, "all");
  const auto r = certify_stationary_exact(all, all.start());
  CHECK(r.verdict.kind == VerdictKind::proved);
  const auto report = certify_point(all, {all.start(), Rational(0), {}}, {});
  CHECK(report.kind == heed::PointKind::saddle);
  const LandscapeProblem both = fixture_problem(j1g, AttentionKernel::gaussian, "W_Q,W_K");
  const auto slice = certify_point(both, {both.start(), Rational(0), {}}, {});
  CHECK(slice.kind == heed::PointKind::saddle);
  CHECK(certainly(less(abs(square(slice.curvature.minimum.least) - Ball(3)), Ball(1e-12))));
}

TEST_CASE("SM1 at W_Q = 0: Hessian (37/125) I, loss 1/10, exactly") {
  const LandscapeProblem problem = landscape_test::sm1();
  const auto r = certify_stationary_exact(problem, constant(5, "0"));
  CHECK(r.verdict.kind == VerdictKind::proved);
  CHECK(r.loss == Rational(1, 10));
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      CHECK(r.hessian(a, b) == (a == b ? Rational(37, 125) : Rational(0)));
}

TEST_CASE("one entry of the gradient that is not 0 refutes") {
  LandscapeProblem problem = landscape_test::sm1();
  problem.instance.weights.W_V[0](1, 0) += Rational(1, 1000);  // breaks the symmetry of the values
  const auto r = certify_stationary_exact(problem, constant(5, "0"));
  CHECK(r.verdict.kind == VerdictKind::refuted);
  CHECK(r.verdict.reason.find("W_Q") != std::string::npos);
  LandscapeProblem values = landscape_test::sm1();
  values.trained = heed::KernelBlock::value;
  CHECK(certify_stationary_exact(values, values.start()).verdict.kind == VerdictKind::refuted);
}

TEST_CASE("attention that need not be rational is not claimed") {
  const LandscapeProblem problem = landscape_test::sm1();
  CHECK(certify_stationary_exact(problem, constant(5, "1/1000")).verdict.kind ==
        VerdictKind::not_applicable);
  LandscapeProblem gaussian = problem;  // equal scores are not enough: q = 0 is not a key
  gaussian.kernel = AttentionKernel::gaussian;
  CHECK(certify_stationary_exact(gaussian, constant(5, "0")).verdict.kind ==
        VerdictKind::not_applicable);
}

TEST_CASE("equal distances that are not 0: rational for rows that sum to 1 only") {
  LandscapeProblem problem = fixture_problem(j1, AttentionKernel::softmax, "W_Q");
  for (Rational& x : problem.instance.weights.W_K[0].entries()) x = Rational(1);
  const auto kind = [&](AttentionKernel kernel) {
    problem.kernel = kernel;
    return certify_stationary_exact(problem, problem.start()).verdict.kind;
  };
  CHECK(kind(AttentionKernel::gaussian) == VerdictKind::not_applicable);
  CHECK(kind(AttentionKernel::gaussian_over_n) == VerdictKind::not_applicable);
  CHECK(kind(AttentionKernel::gaussian_normalised) == VerdictKind::proved);
  CHECK(kind(AttentionKernel::softmax) == VerdictKind::proved);
}

TEST_CASE("an irrational beta is a factor of the gradient") {
  LandscapeProblem problem = fixture_problem(j1, AttentionKernel::softmax, "all");
  problem.instance.beta = {Rational(1, 2), true};
  const auto r = certify_stationary_exact(problem, problem.start());
  CHECK(r.verdict.kind == VerdictKind::proved);
  CHECK(r.hessian.size() == 0);
  const auto report = certify_point(problem, {problem.start(), Rational(0), {}}, {});
  CHECK(report.kind == heed::PointKind::saddle);
  problem.trained = heed::KernelBlock::value;
  CHECK(certify_stationary_exact(problem, problem.start()).hessian.rows() == 2);
}

TEST_CASE("exact points of the four kernels") {
  // q_a = k_b = 1 for all a, b: every kernel has rational attention there.
  LandscapeProblem problem = fixture_problem(j1, AttentionKernel::softmax, "W_Q,W_K");
  for (auto* w : {&problem.instance.weights.W_Q, &problem.instance.weights.W_K})
    for (Rational& x : (*w)[0].entries()) x = Rational(1);
  for (const AttentionKernel kernel : landscape_test::all_kernels()) {
    INFO(heed::kernel_word(kernel));
    problem.kernel = kernel;
    const auto r = certify_stationary_exact(problem, problem.start());
    CHECK(r.verdict.kind != VerdictKind::not_applicable);
    const auto model = heed::LandscapeModel(problem).at(problem.start());
    const auto g = flatten(model.gradient(problem.trained), problem.trained);
    for (std::size_t k = 0; k < g.size(); ++k) CHECK(g[k].contains(r.gradient[k]));
    CHECK(model.loss().contains(r.loss));
    const auto H = model.hessian(problem.trained);
    for (std::size_t k = 0; k < H.size(); ++k) CHECK(H.data()[k].contains(r.hessian.data()[k]));
  }
}

}  // namespace
