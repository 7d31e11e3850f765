// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/kernel_fast.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "heed/data/generate_kernel.hpp"
#include "heed/data/kernel_named.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/kernel_support.hpp"

using namespace heed;
using approx::FastKernel;
using heed::test::KernelFixture;

namespace {

const std::vector<std::string> instruction_sets = {"baseline", "avx2", "avx512"};

struct Sizes {
  std::size_t N, n, D, d, v, p, H, m;  // m = 0: token read-out, 1: pooled, else random rows
};

KernelInstance layer(const Sizes& s, double score_scale, std::uint64_t seed) {
  SplitMix64 stream(seed);
  const std::size_t m = s.m == 0 ? s.n : s.m;
  const KernelData data = normal_data(stream, s.N, s.n, s.D, m, s.p);
  KernelWeights<double> w = normal_weights(stream, {s.D, s.d, s.v, s.p, s.H});
  for (auto* block : {&w.W_Q, &w.W_K})
    for (Matrix<double>& matrix : *block)
      for (double& x : matrix.entries()) x *= score_scale;
  Matrix<Rational> readout =
      s.m == 0   ? token_readout(s.n)
      : s.m == 1 ? pooled_readout(s.n)
                 : map(stream.normal_matrix(s.m, s.n), [](double x) { return Rational(x); });
  return kernel_instance(data, w, readout, inverse_root_beta(s.d));
}

std::vector<double> direction(std::size_t size) {
  std::vector<double> v;
  for (std::size_t k = 0; k < size; ++k) v.push_back(std::sin(1.0 + 3.0 * static_cast<double>(k)));
  return v;
}

// Largest distance of the entries of each block, relative to the largest entry of the block.
double distance(const KernelWeights<double>& shape, KernelBlocks blocks, std::span<const double> x,
                const std::vector<Ball>& truth) {
  double worst = 0;
  std::size_t next = 0;
  for (const KernelBlock block : kernel_blocks) {
    if (!blocks.contains(block)) continue;
    double size = 1e-300, apart = 0;
    for (std::size_t k = parameter_count(shape, block); k > 0; --k, ++next) {
      const double exact = heed::approx::to_double(truth[next]);
      size = std::max(size, std::fabs(exact));
      apart = std::isnan(x[next]) ? INFINITY : std::max(apart, std::fabs(x[next] - exact));
    }
    worst = std::max(worst, apart / size);
  }
  return worst;
}

// Loss, gradient and product against balls of 256 bits.
void check_against_balls(const KernelInstance& m, AttentionKernel kernel, KernelBlocks blocks,
                         const std::string& set, double tolerance) {
  INFO(kernel_word(kernel) << " " << blocks.to_string() << " " << set);
  const PrecisionScope precision(256);
  const KernelModel<Ball> exact = kernel_model<Ball>(m, kernel);
  const KernelInputs<double> inputs(m);
  const KernelWeights<double> weights = weights_as<double>(m.weights);
  FastKernel fast(inputs, kernel, weights, blocks, set);
  CHECK(fast.loss() == Approx(heed::approx::to_double(exact.loss())).epsilon(tolerance));
  CHECK(distance(weights, blocks, fast.gradient(), flatten(exact.gradient(blocks), blocks)) <
        tolerance);
  const std::vector<double> v = direction(fast.parameters());
  std::vector<double> product(v.size());
  fast.hessian_vector_product(v, product);
  std::vector<Ball> as_balls(v.begin(), v.end());
  const KernelWeights<Ball> zero = map(weights, [](double) { return Ball(0); });
  const auto truth =
      flatten(exact.hessian_vector_product(with_flat(zero, blocks, as_balls), blocks), blocks);
  CHECK(distance(weights, blocks, product, truth) < tolerance);
}

}  // namespace

TEST_CASE("FastKernel agrees with balls for every kernel, shape and instruction set") {
  const std::vector<Sizes> sizes = {{1, 1, 1, 1, 1, 1, 1, 0},   {2, 3, 2, 1, 2, 3, 1, 0},
                                    {3, 5, 4, 3, 2, 1, 2, 1},   {2, 9, 3, 8, 9, 2, 3, 2},
                                    {1, 17, 6, 12, 5, 9, 1, 3}, {2, 8, 19, 16, 8, 1, 2, 0}};
  std::uint64_t seed = 1;
  for (const Sizes& s : sizes)
    for (const AttentionKernel kernel : attention_kernels)
      for (const std::string& set : instruction_sets)
        check_against_balls(layer(s, 1, ++seed), kernel, KernelBlocks::all(), set, 2e-13);
}

TEST_CASE("FastKernel over some blocks: those of the others stay as given") {
  const KernelInstance m = layer({3, 5, 4, 3, 2, 2, 2, 0}, 1, 5);
  for (const AttentionKernel kernel : attention_kernels)
    for (unsigned bits = 1; bits < 15; ++bits) {
      KernelBlocks blocks;
      for (const KernelBlock block : kernel_blocks)
        if ((bits >> static_cast<unsigned>(block) & 1u) != 0) blocks = blocks | block;
      check_against_balls(m, kernel, blocks, "", 2e-13);
    }
}

TEST_CASE("FastKernel keeps its digits where attention saturates") {
  for (const double scale : {10.0, 30.0, 60.0})
    for (const AttentionKernel kernel :
         {AttentionKernel::softmax, AttentionKernel::gaussian_normalised})
      for (std::uint64_t seed = 1; seed < 6; ++seed) {
        const KernelInstance m = layer({2, 4, 4, 3, 2, 1, 2, 1}, std::sqrt(scale), seed);
        INFO("scores times " << scale << ", seed " << seed);
        check_against_balls(m, kernel, KernelBlocks::all(), "", 1e-11);
      }
}

TEST_CASE("FastKernel keeps the digits of gradients of 1e-31, where every row saturates") {
  const auto column = [](std::initializer_list<Rational> x) {
    Matrix<Rational> m(x.size(), 1);
    std::copy(x.begin(), x.end(), m.data());
    return m;
  };
  KernelInstance m;
  m.X = {column({Rational(1), Rational(-1)}), column({Rational(-1), Rational(1)})};
  m.Y = {column({Rational(1, 2), Rational(3)}), column({Rational(1), Rational(2)})};
  m.readout = token_readout(2);
  m.weights = {{column({Rational(6)})},
               {column({Rational(6)})},
               {column({Rational(2)})},
               {column({Rational(1)})}};
  const KernelBlocks scores = KernelBlocks(KernelBlock::query) | KernelBlock::key;
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian_normalised})
    for (const std::string& set : instruction_sets)
      check_against_balls(m, kernel, scores, set, 1e-12);
}

TEST_CASE("FastKernel keeps its digits where queries are close to keys") {
  KernelInstance m = layer({1, 3, 3, 2, 2, 1, 1, 0}, 1, 3);
  m.weights.W_K = m.weights.W_Q;
  m.weights.W_K[0](0, 0) += Rational(1, 1 << 30);
  for (const AttentionKernel kernel : {AttentionKernel::gaussian, AttentionKernel::gaussian_over_n})
    check_against_balls(m, kernel, KernelBlocks::all(), "", 1e-11);
}

TEST_CASE("FastKernel at the named instances") {
  for (const KernelName& name : kernel_names()) {
    const KernelInstance m = kernel_instance_named(name.name);
    const KernelInputs<double> inputs(m);
    for (const AttentionKernel kernel : attention_kernels) {
      INFO(name.name << " " << kernel_word(kernel));
      const KernelModel<double> model = kernel_model<double>(m, kernel);
      const FastKernel fast(inputs, kernel, model.weights());
      CHECK(fast.loss() == Approx(model.loss()).epsilon(1e-13).margin(1e-28));
      for (std::size_t r = 0; r < m.rows(); ++r)
        CHECK(fast.outputs(0)(r, 0) == Approx(model.outputs(0)(r, 0)).epsilon(1e-13).margin(1e-14));
    }
  }
}

TEST_CASE("FastKernel says that attention underflows") {
  const KernelFixture f = test::kernel_fixture("kernel_05_underflow.json");
  const KernelInputs<double> inputs(f.instance);
  const auto weights = weights_as<double>(f.instance.weights);
  FastKernel tiny(inputs, AttentionKernel::gaussian, weights);
  CHECK(tiny.underflow());
  std::vector<double> zero(tiny.parameters());
  tiny.evaluate(zero);
  CHECK(!tiny.underflow());
  tiny.evaluate(flatten(weights, KernelBlocks::all()));
  CHECK(tiny.underflow());
}

TEST_CASE("FastKernel reports an underflow of any sample") {
  for (const std::size_t far : {0u, 1u}) {
    KernelInstance m = layer({2, 3, 2, 2, 2, 1, 2, 0}, 1, 9);
    const KernelInputs<double> near(m);
    for (Rational& x : m.X[far].entries()) x *= Rational(1000);
    const auto weights = weights_as<double>(m.weights);
    CHECK(FastKernel(KernelInputs<double>(m), AttentionKernel::gaussian, weights).underflow());
    CHECK(!FastKernel(near, AttentionKernel::gaussian, weights).underflow());
  }
}

TEST_CASE("FastKernel: moving, overflow, Hessian, wrong use") {
  const KernelInstance m = layer({2, 3, 2, 2, 2, 1, 1, 0}, 1, 9);
  const KernelInputs<double> inputs(m);
  const auto weights = weights_as<double>(m.weights);
  const KernelBlocks blocks = KernelBlocks(KernelBlock::key) | KernelBlock::output;
  FastKernel fast(inputs, AttentionKernel::softmax, weights, blocks);
  CHECK(fast.parameters() == 6);
  CHECK(fast.weights() == weights);
  const std::vector<double> theta = direction(6);
  const double loss = fast.evaluate(theta);
  const auto moved = with_flat(weights, blocks, theta);
  CHECK(fast.weights() == moved);
  const KernelModel<double> model(std::make_shared<const KernelInputs<double>>(inputs),
                                  AttentionKernel::softmax, moved);
  CHECK(loss == Approx(model.loss()).epsilon(1e-14));
  const Matrix<double> H = fast.hessian(), expected = model.hessian(blocks);
  for (std::size_t k = 0; k < H.size(); ++k)
    CHECK(H.data()[k] == Approx(expected.data()[k]).epsilon(1e-12).margin(1e-13));

  CHECK(!std::isfinite(fast.evaluate(std::vector<double>(6, 1e200))));
  CHECK(fast.evaluate(theta) == loss);
  CHECK_THROWS_AS(fast.evaluate(std::vector<double>(5)), std::invalid_argument);
  std::vector<double> out(6);
  CHECK_THROWS_AS(fast.hessian_vector_product(std::vector<double>(7), out), std::invalid_argument);
  CHECK_THROWS_AS(FastKernel(inputs, AttentionKernel::softmax, weights, KernelBlocks()),
                  std::invalid_argument);
  CHECK_THROWS_AS(FastKernel(inputs, AttentionKernel::softmax, weights, blocks, "mmx"),
                  std::invalid_argument);
  KernelWeights<double> wrong = weights;
  wrong.W_V.pop_back();
  CHECK_THROWS_AS(FastKernel(inputs, AttentionKernel::softmax, wrong), std::invalid_argument);
}
