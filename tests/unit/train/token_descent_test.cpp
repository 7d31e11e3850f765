// SPDX-License-Identifier: Apache-2.0
#include "heed/train/token_descent.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "heed/attention/kernel_attention.hpp"
#include "heed/data/kernel_named.hpp"

using namespace heed;
using namespace heed::approx;

namespace {

constexpr AttentionKernel kernels[] = {AttentionKernel::softmax, AttentionKernel::gaussian};

}  // namespace

TEST_CASE("the loss of a token is that of the layer, shared among its tokens") {
  for (const char* name : {"SM1", "GA1", "PAIR", "VAL3", "FOUR"})
    for (const AttentionKernel kernel : kernels)
      for (const double q : {-3.0, -0.25, 0.0, 0.5, 2.0}) {
        KernelInstance m = kernel_instance_named(name);
        for (Rational& w : m.weights.W_Q[0].entries()) w = Rational(q);
        const auto model = kernel_model<double>(m, kernel);
        const double tokens = static_cast<double>(m.tokens());
        const TokenLoss token = token_loss(m, kernel);
        INFO(name << " " << kernel_word(kernel) << " " << q);
        CHECK(token.value(q) == Approx(model.loss() / tokens).epsilon(1e-12).margin(1e-16));
        CHECK(token.slope(q) ==
              Approx(model.gradient(KernelBlock::query).W_Q[0](0, 0)).epsilon(1e-10).margin(1e-15));
      }
}

TEST_CASE("starts on either side of the end of the basin part") {
  const TokenLoss token = token_loss(kernel_instance_named("SM1"), AttentionKernel::softmax);
  const std::vector<double> ends =
      descend_token(token, {-0.4177, 0.4177, 0.4178, -0.4178}, 0.05, 20000);
  CHECK(ends[0] == Approx(0.02).epsilon(1e-9));
  CHECK(ends[1] == Approx(0.02).epsilon(1e-9));
  CHECK(ends[2] < 1e-3);
  CHECK(ends[3] < 1e-3);
  CHECK(descend_token(token, {0.25}, 0.05, 1).front() == token.value(0.25));
}

TEST_CASE("instances without separate tokens, and other kernels, are refused") {
  for (const char* name : {"COUPLED", "J1", "HEADS-COVER", "RANK-POOLED", "KRAWCZYK-S"}) {
    INFO(name);
    CHECK_THROWS_AS(token_loss(kernel_instance_named(name), AttentionKernel::softmax),
                    std::invalid_argument);
  }
  KernelInstance m = kernel_instance_named("SM1");
  CHECK_THROWS_AS(token_loss(m, AttentionKernel::gaussian_over_n), std::invalid_argument);
  m.beta.value = Rational(2);
  CHECK_THROWS_AS(token_loss(m, AttentionKernel::softmax), std::invalid_argument);
}
