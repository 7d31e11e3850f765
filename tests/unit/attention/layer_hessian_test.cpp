// SPDX-License-Identifier: Apache-2.0
// The Hessian by its blocks against the one that is made of Hessian-vector products.
#include "heed/attention/layer_hessian.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/data/generate_kernel.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/kernel_support.hpp"

using namespace heed;
using namespace heed::test;

namespace {

// Every set of blocks, in the order of its bits.
std::vector<KernelBlocks> block_sets() {
  std::vector<KernelBlocks> sets;
  for (unsigned bits = 1; bits < 16; ++bits) {
    KernelBlocks set;
    for (unsigned k = 0; k < 4; ++k)
      if ((bits >> k & 1u) != 0) set = set | kernel_blocks[k];
    sets.push_back(set);
  }
  return sets;
}

template <class S>
Matrix<S> in_flat_order(const LayerHessian<S>& h) {
  const Matrix<S> a = saddle_matrix(h.blocks, h.J);
  REQUIRE(a.rows() == h.order.size());
  Matrix<S> flat(a.rows(), a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t c = 0; c < a.rows(); ++c) flat(h.order[r], h.order[c]) = a(r, c);
  return flat;
}

KernelInstance layer(std::size_t N, std::size_t n, std::size_t D, std::size_t d, std::size_t v,
                     std::size_t p, std::size_t H, bool pooled, std::uint64_t seed) {
  SplitMix64 stream(seed);
  const KernelData data = normal_data(stream, N, n, D, pooled ? 1 : n, p);
  const KernelWeights<double> w = normal_weights(stream, {D, d, v, p, H});
  return kernel_instance(data, w, pooled ? pooled_readout(n) : token_readout(n),
                         inverse_root_beta(d));
}

}  // namespace

TEST_CASE("layer Hessian: exact for rational attention whose rows sum to 1") {
  KernelInstance k;
  const auto fill = [](std::size_t rows, std::size_t cols, long seed) {
    Matrix<Rational> m(rows, cols);
    for (Rational& x : m.entries()) {
      seed = (seed * 37 + 11) % 101;
      x = Rational(seed - 50, 8);
    }
    return m;
  };
  const std::size_t n = 3, D = 2, d = 2, v = 2, p = 2, H = 2;
  k.X = {fill(n, D, 1), fill(n, D, 2)};
  k.Y = {fill(2, p, 3), fill(2, p, 4)};
  k.readout = fill(2, n, 5);
  k.beta.value = Rational(3, 4);
  std::vector<Matrix<Rational>> attention;
  for (std::size_t h = 0; h < H; ++h) {
    const long s = static_cast<long>(h);
    k.weights.W_Q.push_back(fill(D, d, 6 + s));
    k.weights.W_K.push_back(fill(D, d, 16 + s));
    k.weights.W_V.push_back(fill(D, v, 26 + s));
    k.weights.W_O.push_back(fill(v, p, 36 + s));
  }
  for (long s = 0; s < 4; ++s) {
    Matrix<Rational> A = fill(n, n, 46 + s);
    for (std::size_t a = 0; a < n; ++a) {
      Rational sum;
      for (std::size_t b = 0; b < n; ++b) sum += A(a, b) = abs(A(a, b)) + Rational(1, 8);
      for (std::size_t b = 0; b < n; ++b) A(a, b) /= sum;
    }
    attention.push_back(A);
  }
  for (const AttentionKernel kernel : attention_kernels) {
    const KernelModel<Rational> model(std::make_shared<const KernelInputs<Rational>>(k), kernel,
                                      k.weights, attention);
    for (const KernelBlocks blocks : block_sets()) {
      INFO(kernel_word(kernel) << " " << blocks.to_string());
      CHECK(in_flat_order(layer_hessian(model, blocks)) == model.hessian(blocks));
    }
  }
}

TEST_CASE("layer Hessian: encloses, in doubles and balls, on the reference files") {
  for (const KernelFixture& f : kernel_fixtures())
    for (const AttentionKernel kernel : attention_kernels) {
      INFO(f.file << " " << kernel_word(kernel));
      const auto all = KernelBlocks::all();
      if (parameter_count(f.instance.weights, all) > 60) continue;
      const PrecisionScope precision(400);
      const Matrix<Ball> truth = kernel_model<Ball>(f.instance, kernel).hessian(all),
                         balls = in_flat_order(
                             layer_hessian(kernel_model<Ball>(f.instance, kernel), all));
      const Matrix<DoubleBall> doubles =
          in_flat_order(layer_hessian(kernel_model<DoubleBall>(f.instance, kernel), all));
      bool contained = true;
      for (std::size_t e = 0; e < truth.size(); ++e)
        contained = contained && balls.data()[e].overlaps(truth.data()[e]) &&
                    to_ball(doubles.data()[e]).overlaps(truth.data()[e]);
      CHECK(contained);
    }
}

TEST_CASE("layer Hessian: radii in double stay near rounding") {
  for (const bool pooled : {true, false})
    for (const AttentionKernel kernel : attention_kernels) {
      INFO(kernel_word(kernel) << (pooled ? " pooled" : " token"));
      const KernelInstance k = layer(4, 5, 6, 4, 3, 2, 2, pooled, 11);
      const auto all = KernelBlocks::all();
      const KernelModel<DoubleBall> model = kernel_model<DoubleBall>(k, kernel);
      const Matrix<DoubleBall> blocks = in_flat_order(layer_hessian(model, all)),
                               columns = model.hessian(all);
      double size = 0, worst = 0, usual = 0, apart = 0;
      for (std::size_t e = 0; e < blocks.size(); ++e) {
        const DoubleBall &x = blocks.data()[e], &y = columns.data()[e];
        CHECK(x.overlaps(y));
        size = std::max(size, std::fabs(y.mid()));
        worst = std::max(worst, x.rad());
        usual = std::max(usual, y.rad());
        apart = std::max(apart, std::fabs(x.mid() - y.mid()));
      }
      CHECK(worst < 1e-12 * size);
      CHECK(worst < 4 * usual);
      CHECK(apart < 1e-13 * size);
    }
}

TEST_CASE("layer Hessian: only W_V is a Gauss-Newton term") {
  const KernelInstance k = layer(2, 3, 4, 2, 3, 1, 2, false, 5);
  const auto h = layer_hessian(kernel_model<double>(k, AttentionKernel::softmax),
                               KernelBlocks(KernelBlock::value));
  REQUIRE(h.blocks.size() == 2);
  for (const SaddleBlock<double>& b : h.blocks) {
    CHECK(b.M.rows() == 0);
    CHECK(b.K == Matrix<double>(12, 12));
  }
  CHECK(h.J.rows() == 6);
}
