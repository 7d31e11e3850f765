// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_ends.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "heed/data/generate_kernel.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"
#include "heed/numeric/precision.hpp"
#include "heed/theory/kernel_curvature.hpp"
#include "heed/train/reference_runs.hpp"
#include "unit/attention/kernel_support.hpp"

using namespace heed;
using namespace heed::test;

namespace {

KernelInstance layer(std::size_t N, std::size_t n, std::size_t D, std::size_t d, std::size_t v,
                     std::size_t p, std::size_t H, bool pooled, std::uint64_t seed) {
  SplitMix64 stream(seed);
  const KernelData data = normal_data(stream, N, n, D, pooled ? 1 : n, p);
  return kernel_instance(data, normal_weights(stream, {D, d, v, p, H}),
                         pooled ? pooled_readout(n) : token_readout(n), inverse_root_beta(d));
}

double width(const DoubleBall& x) { return 2 * x.rad(); }

}  // namespace

TEST_CASE("ends of the Hessian: the reference files, in doubles and at 50 digits") {
  const auto all = KernelBlocks::all();
  for (const KernelFixture& f : kernel_fixtures())
    for (const KernelValues& v : f.values) {
      if (parameter_count(f.instance.weights, all) < 2) continue;
      INFO(f.file << " " << kernel_word(v.kernel));
      const HessianEnds ends = hessian_ends(f.instance, v.kernel, all),
                        bounds = hessian_bounds(f.instance, v.kernel, all);
      const PrecisionScope scope(400);
      const auto near = [](const Rational& x) {
        return Ball(x) + Ball::symmetric(Ball(abs(x) + Rational(1)) * power_of_ten(-45));
      };
      const Ball least = near(v.hessian_least), largest = near(v.hessian_largest);
      for (const HessianEnds* e : {&ends, &bounds}) {
        CHECK(to_ball(e->least.value).overlaps(least));
        CHECK(to_ball(e->largest.value).overlaps(largest));
      }
      const Extremes<Ball> sharp =
          sharpened_ends(ends, f.instance, kernel_model<Ball>(f.instance, v.kernel), all);
      CHECK(sharp.least.overlaps(least));
      CHECK(sharp.largest.overlaps(largest));
      CHECK((sharp.largest.has_relative_digits(40) || v.hessian_largest.sign() == 0));
    }
}

TEST_CASE("ends of the Hessian: every kernel and read-out against the whole spectrum") {
  for (const bool pooled : {true, false})
    for (const AttentionKernel kernel : attention_kernels) {
      INFO(kernel_word(kernel) << (pooled ? " pooled" : " token"));
      const KernelInstance k = layer(2, 3, 4, 2, 2, 2, 2, pooled, 21);
      const KernelBlocks blocks =
          pooled ? KernelBlocks::all()
                 : KernelBlocks(KernelBlock::query) | KernelBlock::key | KernelBlock::output;
      const HessianEnds ends = hessian_ends(k, kernel, blocks),
                        bounds = hessian_bounds(k, kernel, blocks);
      const PrecisionScope scope(128);
      const KernelModel<Ball> model = kernel_model<Ball>(k, kernel);
      const std::vector<Ball> spectrum = symmetric_eigenvalues(model.hessian(blocks));
      const Ball &least = spectrum.front(), &largest = spectrum.back();
      const double size = approx::to_double(largest);
      CHECK(to_ball(ends.least.value).overlaps(least));
      CHECK(to_ball(ends.largest.value).overlaps(largest));
      CHECK(width(ends.least.value) < 1e-8 * size);
      CHECK(width(ends.largest.value) < 1e-8 * size);
      REQUIRE(ends.least.others);
      REQUIRE(ends.largest.others);
      CHECK_FALSE(certainly(less(spectrum[1], Ball(*ends.least.others))));
      CHECK_FALSE(certainly(less(Ball(*ends.largest.others), spectrum[spectrum.size() - 2])));
      const Extremes<Ball> sharp = sharpened_ends(ends, k, model, blocks);
      CHECK(sharp.least.overlaps(least));
      CHECK(sharp.largest.overlaps(largest));
      CHECK(sharp.least.has_relative_digits(25));
      CHECK(sharp.largest.has_relative_digits(25));
      // Without the matrix: the inner ends are as good, the outer ones bounds of norms.
      CHECK(bounds.one_sided);
      CHECK_FALSE(ends_can_sharpen(bounds, 10));
      CHECK(to_ball(bounds.least.value).overlaps(least));
      CHECK(to_ball(bounds.largest.value).overlaps(largest));
      CHECK(bounds.least.value.upper() == Approx(approx::to_double(least)).epsilon(1e-8));
      CHECK(bounds.largest.value.lower() == Approx(size).epsilon(1e-8));
      CHECK(bounds.least.value.is_finite());
      CHECK(bounds.largest.value.is_finite());
    }
}

TEST_CASE("ends of the Hessian: the token task at 784 parameters, to 15 digits") {
  const approx::LayerProblem p = approx::layer_problem(approx::LayerTask::token_task, 0);
  KernelCurvatureOptions options;
  options.ends = std::make_shared<const HessianEnds>(
      hessian_ends(p.training, AttentionKernel::softmax, options.blocks));
  const PrecisionScope scope(128);
  const KernelCurvature<Ball> c =
      kernel_curvature<Ball>(p.training, AttentionKernel::softmax, options);
  CHECK(approx::to_double(c.hessian.largest) / 32 == Approx(2.59238).epsilon(1e-5));
  CHECK(approx::to_double(c.hessian.least) / 32 == Approx(-0.166147).epsilon(1e-5));
  CHECK(c.hessian.least.has_relative_digits(16));
  CHECK(c.hessian.largest.has_relative_digits(16));
  CHECK(to_ball(options.ends->least.value).overlaps(c.hessian.least));
}

TEST_CASE("ends of the Hessian: a double least eigenvalue, from the matrix in balls") {
  // W_Q = W_K = 0 and two equal heads: every eigenvalue with a vector in one head is there twice.
  KernelInstance k = layer(2, 3, 4, 6, 4, 1, 1, true, 4);
  for (auto* heads : {&k.weights.W_Q, &k.weights.W_K})
    for (Rational& x : heads->front().entries()) x = Rational(0);
  for (const KernelBlock block : kernel_blocks) {
    auto& heads = block_of(k.weights, block);
    heads.push_back(heads.front());
  }
  const auto all = KernelBlocks::all();
  const HessianEnds ends = hessian_ends(k, AttentionKernel::softmax, all);
  CHECK_FALSE(ends.least.others);
  CHECK(ends_can_sharpen(ends, 100));
  CHECK_FALSE(ends_can_sharpen(ends, max_ball_hessian + 1));
  const PrecisionScope scope(128);
  const KernelModel<Ball> model = kernel_model<Ball>(k, AttentionKernel::softmax);
  const Extremes<Ball> sharp = sharpened_ends(ends, k, model, all);
  const std::vector<Ball> spectrum = symmetric_eigenvalues(model.hessian(all));
  CHECK(sharp.least.overlaps(spectrum.front()));
  CHECK(sharp.least.has_relative_digits(12));
}
