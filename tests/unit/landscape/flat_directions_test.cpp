// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/flat_directions.hpp"

#include <catch2/catch.hpp>

#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::AttentionKernel;
using heed::Ball;
using heed::KernelBlocks;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::Rational;
using heed::VerdictKind;
using landscape_test::small_fractions;

std::size_t count(const std::vector<heed::FlatFamily>& families, const std::string& part) {
  std::size_t total = 0;
  for (const auto& f : families)
    if (f.name.find(part) != std::string::npos) total += f.directions.size();
  return total;
}

struct Shape {
  std::size_t N, n, D, d, v, p, H;
};

LandscapeProblem drawn(const Shape& s, AttentionKernel kernel, const std::string& trained) {
  int state = 5;
  heed::KernelInstance k;
  k.X = small_fractions(s.N, s.n, s.D, state);
  k.Y = small_fractions(s.N, s.n, s.p, state);
  k.readout = heed::token_readout(s.n);
  k.beta = {Rational(1, 3), false};
  k.weights = {small_fractions(s.H, s.D, s.d, state), small_fractions(s.H, s.D, s.d, state),
               small_fractions(s.H, s.D, s.v, state), small_fractions(s.H, s.v, s.p, state)};
  return {k, kernel, *KernelBlocks::parse(trained)};
}

const Shape shapes[] = {{1, 3, 2, 1, 1, 1, 1}, {2, 2, 4, 2, 2, 2, 1}, {1, 2, 3, 2, 3, 1, 2},
                        {2, 2, 5, 3, 1, 2, 1}, {1, 1, 2, 2, 2, 2, 1}, {1, 4, 3, 2, 2, 2, 2},
                        {3, 2, 3, 2, 4, 2, 1}};
const char* const block_sets[] = {"W_Q",     "W_K",     "W_V", "W_O",        "W_Q,W_K",
                                  "W_V,W_O", "W_Q,W_O", "all", "W_K,W_V,W_O"};

TEST_CASE("the gradient is orthogonal to every flat direction, at every point") {
  const heed::PrecisionScope precision(192);
  std::size_t directions = 0;
  for (const AttentionKernel kernel : landscape_test::all_kernels())
    for (const Shape& shape : shapes)
      for (const std::string trained : block_sets) {
        INFO(heed::kernel_word(kernel) << " " << trained << " D " << shape.D << " d " << shape.d);
        const LandscapeProblem problem = drawn(shape, kernel, trained);
        const auto gauge = approx_gauge(problem, problem.start());
        const std::vector<std::size_t> none;
        for (const auto* frozen : {&none, &gauge}) {
          const heed::PointBox point{problem.start(), Rational(0), *frozen};
          const auto model = heed::LandscapeModel(problem).at(point.centre);
          const auto g = flatten(model.gradient(problem.trained), problem.trained);
          const Ball scale = Ball(1) + sqrt_nonnegative(squared_norm(g));
          for (const auto& family : flat_families(problem, point))
            for (const auto& t : family.directions) {
              INFO(family.name);
              const Ball along = dot(g, t);
              CHECK(along.contains_zero());
              CHECK(certainly(less(abs(along), scale * Ball(1e-40))));
              ++directions;
            }
        }
        if (!gauge.empty())
          CHECK(transversality(problem, {problem.start(), Rational(0), gauge}).kind ==
                VerdictKind::proved);
      }
  CHECK(directions > 2000);
}

TEST_CASE("f is the same along the fixed flat space, far away too") {
  const heed::PrecisionScope precision(256);
  for (const AttentionKernel kernel : landscape_test::all_kernels())
    for (const Shape& shape : shapes)
      for (const std::string trained : block_sets) {
        const LandscapeProblem problem = drawn(shape, kernel, trained);
        const auto point = problem.start();
        const heed::LandscapeModel landscape(problem);
        const Ball here = landscape.at(point).loss();
        for (const auto& z : fixed_flat_space(problem)) {
          auto moved = point;
          for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += Rational(3) * z[k];
          const Ball there = landscape.at(moved).loss();
          CHECK(here.overlaps(there));
          CHECK(there.has_relative_digits(30));
        }
      }
}

TEST_CASE("all flat directions of these layers are known: a zero eigenvalue for each, no more") {
  // At a generic point grad f != 0, but Hessians on the orthogonal complement of moving directions say
  // little; at fixed directions the Hessian vanishes.
  const heed::PrecisionScope precision(192);
  for (const AttentionKernel kernel : landscape_test::all_kernels())
    for (const Shape& shape : shapes) {
      const LandscapeProblem problem = drawn(shape, kernel, "W_Q");
      const auto model = heed::LandscapeModel(problem).at(problem.start());
      const Matrix<Ball> H = model.hessian(problem.trained);
      for (const auto& z : fixed_flat_space(problem)) {
        std::vector<Ball> t;
        for (const Rational& x : z) t.emplace_back(x);
        for (const Ball& x : multiply(H, t)) CHECK(x.contains_zero());
      }
    }
}

TEST_CASE("families by kernel and blocks") {
  const auto names = [](const Shape& s, AttentionKernel kernel, const std::string& trained) {
    const LandscapeProblem problem = drawn(s, kernel, trained);
    return flat_families(problem, {problem.start(), Rational(0), {}});
  };
  const Shape square{1, 3, 3, 2, 2, 2, 1};
  CHECK(count(names(square, AttentionKernel::softmax, "W_Q,W_K"), "-E W_K B^T") == 4);
  CHECK(count(names(square, AttentionKernel::gaussian, "W_Q,W_K"), "B skew") == 1);
  CHECK(count(names(square, AttentionKernel::softmax, "W_V,W_O"), "-B W_O") == 4);
  CHECK(count(names(square, AttentionKernel::softmax, "W_K"), "shifts W_K") == 2);
  CHECK(count(names(square, AttentionKernel::gaussian, "W_K"), "") == 0);
  CHECK(count(names(square, AttentionKernel::gaussian, "W_Q,W_K"), "shifts (W_Q") == 2);
  CHECK(count(names(square, AttentionKernel::gaussian, "W_Q"), "") == 0);
  CHECK(count(names({1, 2, 2, 3, 1, 1, 1}, AttentionKernel::softmax, "W_Q"), "scores") == 4);
  CHECK(count(names({1, 2, 2, 3, 1, 1, 1}, AttentionKernel::gaussian_normalised, "W_Q"),
              "scores") == 4);
  CHECK(count(names({1, 2, 2, 3, 1, 1, 1}, AttentionKernel::gaussian, "W_Q"), "scores") == 0);
  CHECK(count(names({1, 2, 3, 1, 2, 1, 1}, AttentionKernel::gaussian, "W_V"), "Z W_O") == 3);
  CHECK(count(names({1, 2, 3, 1, 2, 1, 1}, AttentionKernel::gaussian, "W_V"), "X z = 0") == 2);
}

TEST_CASE("frozen coordinates that are not transversal are named") {
  const LandscapeProblem problem =
      drawn({1, 3, 3, 2, 2, 2, 1}, AttentionKernel::softmax, "W_Q,W_K");
  heed::PointBox box{problem.start(), Rational::parse("1e-6"), {6, 7, 8, 9}};
  CHECK(transversality(problem, box).kind == VerdictKind::proved);
  box.frozen = {6, 7, 8, 9, 10, 11};  // with the shifts of W_K: all of it
  CHECK(transversality(problem, box).kind == VerdictKind::proved);
  box.frozen = {0, 1, 2, 3, 6, 7};
  CHECK(transversality(problem, box).kind == VerdictKind::proved);
  box.frozen = {0, 1, 2, 3, 4, 5};  // all of W_Q: more than GL reaches
  const auto refused = transversality(problem, box);
  CHECK(refused.kind == VerdictKind::not_applicable);
  CHECK(refused.reason.find("W_Q[head 0]") != std::string::npos);
  // A singular block of W_K.
  box.frozen = {6, 7, 8, 9};
  for (const std::size_t k : {6u, 7u}) box.centre[k + 2] = box.centre[k];
  box.centre[10] = box.centre[6];
  box.centre[11] = box.centre[7];
  box.frozen = {6, 7, 8, 9, 10, 11};
  CHECK(transversality(problem, box).kind == VerdictKind::not_applicable);
  // Over a wide box the frozen entries of gaussian rotations, which meet free ones, are not proved.
  const LandscapeProblem gaussian =
      drawn({1, 3, 3, 2, 2, 2, 1}, AttentionKernel::gaussian, "W_Q,W_K");
  heed::PointBox wide{gaussian.start(), Rational(1, 1000), {7}};
  CHECK(transversality(gaussian, wide).kind == VerdictKind::proved);
  wide.radius = Rational(100);
  CHECK(transversality(gaussian, wide).kind == VerdictKind::not_applicable);
}

}  // namespace
