// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/data/generate_kernel.hpp"
#include "heed/data/kernel_named.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/precision.hpp"
#include "heed/train/curvature_ends.hpp"
#include "heed/train/loss_slice.hpp"
#include "heed/train/reference_runs.hpp"

using namespace heed;
using namespace heed::approx;

namespace {

FastKernel model_of(const KernelInstance& m, AttentionKernel kernel,
                    KernelBlocks trained = KernelBlocks::all()) {
  return FastKernel(KernelInputs<double>(m), kernel, weights_as<double>(m.weights), trained);
}

LossSlice slice_of(double half, std::size_t points, double (*f)(double, double)) {
  LossSlice slice{half, Matrix<double>(points, points)};
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j)
      slice.losses(i, j) = f(slice.coordinate(i), slice.coordinate(j));
  return slice;
}

}  // namespace

TEST_CASE("both ends of the Hessian lie in their enclosures") {
  const KernelInstance m = kernel_instance_named("HEADS-COVER");
  for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian}) {
    FastKernel model = model_of(m, kernel);
    const CurvatureEnds ends = curvature_ends(model);
    const PrecisionScope precision(256);
    const Matrix<Ball> H = kernel_model<Ball>(m, kernel).hessian(KernelBlocks::all());
    const double least = approx::to_double(enclose_lambda_min(H, 20)),
                 largest = approx::to_double(enclose_lambda_max(H, 20));
    CHECK(ends.least.value == Approx(least).margin(1e-8 * largest));
    CHECK(ends.largest.value == Approx(largest).epsilon(1e-8));
  }
}

TEST_CASE("ends of the Hessian at the saddle J1: -1 in (W_Q, W_K)") {
  FastKernel model = model_of(kernel_instance_named("J1"), AttentionKernel::softmax,
                              KernelBlocks(KernelBlock::query) | KernelBlock::key);
  CHECK(curvature_ends(model).least.value == Approx(-1).epsilon(1e-9));
}

TEST_CASE("ends of the Hessian: dense and by Lanczos, with their residuals") {
  for (const std::size_t heads : {1, 3}) {  // 28 and 84 parameters
    SplitMix64 stream(9);
    const KernelData data = normal_data(stream, 3, 4, 3, 4, 2);
    const KernelInstance m = kernel_instance(data, normal_weights(stream, {3, 3, 2, 2, heads}),
                                             token_readout(4), inverse_root_beta(3));
    FastKernel model = model_of(m, AttentionKernel::gaussian_normalised);
    REQUIRE(model.parameters() == 28 * heads);
    const CurvatureEnds ends = curvature_ends(model);
    const Extremes<double> dense = extremes(model.hessian());
    CHECK(ends.least.value == Approx(dense.least).epsilon(1e-9));
    CHECK(ends.largest.value == Approx(dense.largest).epsilon(1e-9));
    for (const LanczosResult* end : {&ends.least, &ends.largest}) {
      CHECK(end->residual <= 1e-8 * dense.norm());
      std::vector<double> Hv(model.parameters());
      model.hessian_vector_product(end->vector, Hv);
      double squares = 0;
      for (std::size_t k = 0; k < Hv.size(); ++k)
        squares += std::pow(Hv[k] - end->value * end->vector[k], 2);
      CHECK(std::sqrt(squares) <= end->residual + 1e-12 * dense.norm());
    }
  }
}

TEST_CASE("a reference run: curvature of the first weights") {
  const LayerProblem p = layer_problem(LayerTask::token_task, 0);
  FastKernel model = model_of(p.training, AttentionKernel::softmax);
  const CurvatureEnds ends = curvature_ends(model);
  CHECK(ends.largest.value / 32 == Approx(2.59238).epsilon(1e-5));
  CHECK(ends.least.value / 32 == Approx(-0.166147).epsilon(1e-5));
}

TEST_CASE("directions have the column norms of the weights") {
  const LayerProblem p = layer_problem(LayerTask::regression, 3);
  const KernelWeights<double> w = weights_as<double>(p.training.weights);
  const KernelBlocks blocks = KernelBlocks(KernelBlock::key) | KernelBlock::output;
  SplitMix64 stream(1), same(1);
  const std::vector<double> flat = filter_normalised_direction(w, blocks, stream);
  CHECK(flat == filter_normalised_direction(w, blocks, same));
  CHECK(flat != filter_normalised_direction(w, blocks, stream));
  const KernelWeights<double> d = with_flat(w, blocks, flat);
  for_each_matrix(d, blocks, [&](KernelBlock block, std::size_t h, const Matrix<double>& m) {
    const Matrix<double>& original = block_of(w, block)[h];
    for (std::size_t c = 0; c < m.cols(); ++c) {
      double a = 0, b = 0;
      for (std::size_t r = 0; r < m.rows(); ++r) {
        a += m(r, c) * m(r, c);
        b += original(r, c) * original(r, c);
      }
      CHECK(a == Approx(b).epsilon(1e-12));
    }
  });
}

TEST_CASE("a slice holds f/N on its grid, and leaves the model where it was") {
  const LayerProblem p = layer_problem(LayerTask::regression, 3);
  FastKernel model = model_of(p.training, AttentionKernel::gaussian);
  const std::vector<double> centre(model.parameter_values().begin(),
                                   model.parameter_values().end());
  const double loss = model.loss();
  SplitMix64 stream(5);
  const auto u = filter_normalised_direction(model.weights(), model.trained(), stream);
  const auto v = filter_normalised_direction(model.weights(), model.trained(), stream);
  const LossSlice slice = loss_slice(model, u, v, 5, 0.5);
  CHECK(model.loss() == loss);
  CHECK(slice.losses(2, 2) == Approx(loss / 4));
  CHECK(slice.coordinate(0) == -0.5);
  CHECK(slice.coordinate(4) == 0.5);
  std::vector<double> theta = centre;
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += 0.25 * u[k] - 0.5 * v[k];
  CHECK(slice.losses(3, 0) == Approx(model.evaluate(theta) / 4).epsilon(1e-13));
}

TEST_CASE("curvature of slices of quadratic functions is exact") {
  const SliceCurvature bowl = slice_curvature(
      slice_of(1, 21, [](double a, double b) { return a * a + 3 * b * b + a * b; }));
  CHECK(bowl.largest == Approx(4 + std::sqrt(5.0)).epsilon(1e-9));
  CHECK(bowl.least == Approx(4 - std::sqrt(5.0)).epsilon(1e-9));
  CHECK(bowl.negative_share == 0);
  CHECK(bowl.range == Approx(5));
  const SliceCurvature saddle =
      slice_curvature(slice_of(2, 9, [](double a, double b) { return a * a - 2 * b * b; }));
  CHECK(saddle.largest == Approx(2));
  CHECK(saddle.least == Approx(-4));
  CHECK(saddle.negative_share == 1);
  CHECK(saddle.negative_ratio == Approx(2));
  // a^3: not convex where a < 0, which is one side of the inner points and the middle by rounding.
  const SliceCurvature cubic =
      slice_curvature(slice_of(1, 21, [](double a, double) { return a * a * a; }));
  CHECK(cubic.negative_share > 0.4);
  CHECK(cubic.negative_share < 0.6);
}

TEST_CASE("reference problems: shapes, and a teacher who reaches loss 0") {
  const KernelInstance q = query_problem(AttentionKernel::softmax, 2, 0);
  CHECK(q.samples() == 2);
  CHECK(q.dim() == 10);
  CHECK(q.key_dim() == 2);
  // X_stack = I: keys of sample 1 are rows 5 .. 9 of W_K.
  const auto model = kernel_model<double>(q, AttentionKernel::softmax);
  CHECK(model.keys(1, 0)(0, 1) == weights_as<double>(q.weights).W_K[0](5, 1));
  SplitMix64 stream(3000);
  CHECK(weights_as<double>(q.weights).W_K[0](0, 0) == 2 / std::sqrt(2.0) * stream.normal());
  // 20 keys, 10 values, then the queries of the teacher: there the targets are met.
  for (int k = 1; k < 30; ++k) stream.normal();
  KernelInstance taught = q;
  for (Rational& w : taught.weights.W_Q[0].entries())
    w = Rational(2 / std::sqrt(2.0) * stream.normal());
  CHECK(kernel_model<double>(taught, AttentionKernel::softmax).loss() < 1e-28);
  CHECK(model.loss() > 1e-3);

  const LayerProblem p = layer_problem(LayerTask::pathfinder, 4);
  CHECK(p.training.samples() == 32);
  CHECK(p.testing->samples() == 128);
  CHECK(p.training.dim() == 13);
  CHECK(p.training.weights == p.testing->weights);
  CHECK(!layer_problem(LayerTask::regression, 4).testing);
  const KernelInstance e1 = value_problem(0);
  CHECK(e1.dim() == e1.samples() * e1.tokens());
}
