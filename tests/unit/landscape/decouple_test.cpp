// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "unit/landscape/support.hpp"

using namespace landscape_test;
using heed::combine;
using heed::complete_1d;
using heed::decouple;
using heed::Decoupling;
using heed::LandscapeOfSum;
using heed::Matrix;
using heed::Ternary;

namespace {

LandscapeOfSum whole(const KernelInstance& instance, AttentionKernel kernel) {
  const Decoupling d = decouple(instance, kernel);
  REQUIRE(d.applies);
  std::vector<Landscape1d> tokens;
  for (const TokenProblem& token : d.tokens) tokens.push_back(complete_1d(token));
  return combine(d, tokens);
}

}  // namespace

TEST_CASE("SM1: 243 strict local minima, 32 of them global") {
  const KernelInstance instance = layer(named("SM1", AttentionKernel::softmax));
  const Decoupling d = decouple(instance, AttentionKernel::softmax);
  REQUIRE(d.applies);
  CHECK(d.square);
  CHECK(d.orthonormal);
  CHECK(d.tokens.size() == 5);
  CHECK(d.tokens[3].keys == named("SM1", AttentionKernel::softmax).keys);
  CHECK(d.queries == std::vector<Rational>(5));
  const LandscapeOfSum f = whole(instance, AttentionKernel::softmax);
  CHECK(f.minima == Rational(243));
  CHECK(f.strict_minima == Rational(243));
  CHECK(f.global_minima == Rational(32));
  CHECK(f.bad_minima == Rational(211));
  CHECK(f.benign == Ternary::certainly_false);
  CHECK(f.attained == Ternary::certainly_true);
  CHECK(f.infimum.contains_zero());
  const LandscapeOfSum g = whole(instance, AttentionKernel::gaussian);
  CHECK(g.minima == Rational(7776));
  CHECK(g.bad_minima == Rational(0));
  CHECK(g.benign == Ternary::certainly_true);
}

TEST_CASE("more dimensions than tokens: no strict minimum") {
  KernelInstance instance = layer(named("GA1", AttentionKernel::gaussian));
  Matrix<Rational> wide(3, 4), w(4, 1);
  for (std::size_t a = 0; a < 3; ++a) wide(a, a) = Rational(2);
  for (std::size_t a = 0; a < 3; ++a) w(a, 0) = instance.weights.W_K[0](a, 0) / Rational(2);
  instance.X[0] = wide;
  instance.weights.W_K[0] = w;
  for (std::size_t a = 0; a < 3; ++a) w(a, 0) = instance.weights.W_V[0](a, 0) / Rational(2);
  instance.weights.W_V[0] = w;
  instance.weights.W_Q[0] = w;
  const Decoupling d = decouple(instance, AttentionKernel::gaussian);
  REQUIRE(d.applies);
  CHECK(!d.square);
  CHECK(!d.orthonormal);
  CHECK(d.queries == std::vector<Rational>{2, 1, 2});
  const LandscapeOfSum f = whole(instance, AttentionKernel::gaussian);
  CHECK(f.minima == Rational(125));
  CHECK(f.global_minima == Rational(64));
  CHECK(f.strict_minima == Rational(0));
}

TEST_CASE("a token whose infimum is not attained, a token without minima") {
  KernelInstance instance = layer(named("SM1", AttentionKernel::softmax));
  instance.Y[0](2, 0) = Rational(1);  // approached at infinity only
  LandscapeOfSum f = whole(instance, AttentionKernel::softmax);
  CHECK(f.attained == Ternary::certainly_false);
  CHECK(f.minima == Rational(81));
  CHECK(f.global_minima == Rational(0));
  CHECK(f.bad_minima == Rational(81));
  KernelInstance pair = layer(named("PAIR", AttentionKernel::softmax));
  pair.Y[0](0, 0) = Rational(2);
  f = whole(pair, AttentionKernel::softmax);
  CHECK(f.minima == Rational(0));
  CHECK(f.benign == Ternary::certainly_true);
  CHECK(f.attained == Ternary::certainly_false);
}

TEST_CASE("the hypothesis that fails is named") {
  const KernelInstance good = layer(named("PAIR", AttentionKernel::softmax));
  const auto reason = [](const KernelInstance& instance) {
    const Decoupling d = decouple(instance, AttentionKernel::softmax);
    CHECK(!d.applies);
    CHECK(d.tokens.empty());
    return d.reason;
  };
  KernelInstance bad = good;
  bad.readout = heed::pooled_readout(2);
  CHECK(reason(bad) == "the read-out is not the identity");
  bad = good;
  bad.X[0](1, 0) = bad.X[0](0, 0);
  bad.X[0](1, 1) = bad.X[0](0, 1);
  CHECK(reason(bad) == "the tokens of all samples are linearly dependent");
  bad = good;
  bad.X.push_back(good.X[0]);
  bad.Y.push_back(good.Y[0]);
  CHECK(reason(bad) == "D = 2 is below N n = 4");
  bad = good;
  bad.weights.W_Q.push_back(good.weights.W_Q[0]);
  CHECK(reason(bad) == "more than one head");
  bad = good;
  bad.weights.W_Q[0] = bad.weights.W_K[0] = Matrix<Rational>(2, 2);
  CHECK(reason(bad) == "keys of dimension d > 1");
  bad = good;
  bad.weights.W_O[0] = Matrix<Rational>(1, 2);
  CHECK(reason(bad) == "outputs of dimension p > 1");
}
