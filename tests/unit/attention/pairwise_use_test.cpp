// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "heed/attention/mha_pairwise.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::approx::PairwiseMha;
using heed::test::Hard;
using heed::test::random_instance;
using heed::test::random_vector;

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

TEST_CASE("values belong to the last theta and products do not disturb them") {
  PairwiseMha fast(heed::mha_inputs<double>(random_instance(Hard::nothing, 5)));
  const std::vector<double> start = fast.initial_parameters();
  const std::vector<double> gradient = copy(fast.gradient()), phi = copy(fast.phi());
  const double loss = fast.loss();
  const std::vector<double> v = random_vector(fast.parameters(), 3);
  const std::vector<double> product = fast.hessian_vector_product(v);

  fast.evaluate(v);
  CHECK(copy(fast.gradient()) != gradient);
  CHECK(fast.evaluate(start) == loss);
  CHECK(copy(fast.gradient()) == gradient);
  CHECK(copy(fast.phi()) == phi);

  std::vector<double> in_place = v;
  fast.hessian_vector_product(in_place, in_place);
  CHECK(in_place == product);
  CHECK(copy(fast.gradient()) == gradient);

  PairwiseMha moved = std::move(fast);
  CHECK(moved.hessian_vector_product(v) == product);
}

TEST_CASE("a step against the gradient lowers the loss by its squared norm") {
  PairwiseMha fast(heed::mha_inputs<double>(random_instance(Hard::nothing, 6)));
  std::vector<double> theta = fast.initial_parameters();
  const std::vector<double> gradient = copy(fast.gradient());
  const double before = fast.loss(), step = 1e-6;
  double squared = 0;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    theta[k] -= step * gradient[k];
    squared += gradient[k] * gradient[k];
  }
  CHECK(before - fast.evaluate(theta) == Approx(step * squared).epsilon(1e-3));
}

TEST_CASE("one token a sample: attention is 1 and W has no gradient") {
  heed::MhaInstance instance = random_instance(Hard::nothing, 2);
  REQUIRE(instance.max_tokens() == 1);
  PairwiseMha fast(heed::mha_inputs<double>(instance));
  const std::size_t d = instance.dim(), block = d + d * d;
  const std::vector<double> product =
      fast.hessian_vector_product(random_vector(fast.parameters(), 4));
  for (std::size_t k = 0; k < fast.parameters(); ++k) {
    if (k % block < d) continue;
    CHECK(fast.gradient()[k] == 0);
    CHECK(product[k] == 0);
  }
}

// Logits are sums of products of 1e17, whose rounding errors hide gaps of some 30 between tokens
// that differ in their last bits.
TEST_CASE("enormous logits: the reference is corrected by exact differences of tokens") {
  const heed::PrecisionScope precision(400);
  constexpr std::size_t d = 8;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<double> noise = random_vector(4 * d, seed);
    heed::MhaInstance instance;
    instance.X.emplace_back(3, d);
    instance.y.push_back(1);
    instance.weights.emplace();
    instance.weights->U.emplace_back(3, d);
    instance.weights->W.emplace_back(d, d);
    for (std::size_t k = 0; k < 2 * d; ++k) {
      instance.X[0].data()[d + k] = heed::Rational(1.1e9 + 3e-7 * noise[k]);
      instance.weights->U[0].data()[d + k] = heed::Rational(1e-9 * noise[2 * d + k]);
    }
    for (std::size_t c = 0; c < d; ++c) {
      instance.X[0](0, c) = heed::Rational(c % 2 == 0 ? 0.0 : 1.1e9);
      instance.weights->W[0](c, c) = heed::Rational(c % 2 == 0 ? 0.039 : -0.041);
    }
    const PairwiseMha fast(heed::mha_inputs<double>(instance));
    const std::vector<heed::Ball> exact =
        heed::MhaModel<heed::Ball>(heed::mha_inputs<heed::Ball>(instance)).gradient();
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const double expected = heed::approx::to_double(exact[k]);
      INFO("seed " << seed << ", entry " << k);
      CHECK(std::fabs(fast.gradient()[k] - expected) <= 1e-11 * std::fabs(expected) + 1e-290);
    }
  }
}

TEST_CASE("values that are not finite give results that are not finite") {
  PairwiseMha fast(heed::mha_inputs<double>(random_instance(Hard::nothing, 5)));
  std::vector<double> theta = fast.initial_parameters();
  theta.back() = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(fast.evaluate(theta)));
}

TEST_CASE("lengths and shapes that disagree are refused") {
  heed::MhaInputs<double> inputs = heed::mha_inputs<double>(random_instance(Hard::nothing, 5));
  PairwiseMha fast(inputs);
  std::vector<double> v(fast.parameters()), longer(fast.parameters() + 1);
  CHECK_THROWS_AS(fast.evaluate(longer), std::invalid_argument);
  CHECK_THROWS_AS(fast.hessian_vector_product(longer), std::invalid_argument);
  CHECK_THROWS_AS(fast.hessian_vector_product(v, longer), std::invalid_argument);
  inputs.W.pop_back();
  CHECK_THROWS_AS(PairwiseMha(inputs), std::invalid_argument);
}

}  // namespace
