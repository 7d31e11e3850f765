// SPDX-License-Identifier: Apache-2.0
// The sharp constants of kernel attention at their extremal points, and instances where the ranks of
// the kernels differ.
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/linalg/singular_values.hpp"
#include "heed/numeric/precision.hpp"
#include "heed/theory/kernel_attention_bounds.hpp"
#include "heed/theory/kernel_convergence.hpp"
#include "heed/theory/kernel_jacobian.hpp"
#include "heed/theory/kernel_smooth.hpp"
#include "heed/theory/verify_kernel.hpp"
#include "unit/theory/query_claims.hpp"

using namespace heed;
using namespace heed::test;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Matrix<Rational> m(const Rows& rows) { return rational_matrix(rows); }

// N = 1, n = 4, two heads that cover four features with D = 2.
KernelInstance two_heads() {
  KernelInstance k;
  k.X = {m({{"1", "-1"}, {"1", "0"}, {"1", "1"}, {"1", "3"}})};
  k.Y = {m({{"1"}, {"2"}, {"-1"}, {"1"}})};
  k.readout = token_readout(4);
  k.weights = {{m({{"1/4"}, {"1"}}), m({{"0"}, {"-1/2"}})},
               {m({{"0"}, {"1"}}), m({{"1/2"}, {"1"}})},
               {m({{"1"}, {"1"}}), m({{"1"}, {"-1"}})},
               {m({{"1"}}), m({{"1"}})}};
  return k;
}

// One pooled sample: features of softmax are 0, as the tokens have the mean 0.
KernelInstance pooled() {
  KernelInstance k;
  k.X = {m({{"2"}, {"-1"}, {"-1"}})};
  k.Y = {m({{"1"}})};
  k.readout = pooled_readout(3);
  k.weights = {{m({{"0"}})}, {m({{"1"}})}, {m({{"1"}})}, {m({{"1"}})}};
  return k;
}

KernelAnalysis<Ball> analysis(const KernelInstance& k, AttentionKernel kernel) {
  return KernelAnalysis<Ball>(std::make_shared<const KernelFacts>(k, kernel));
}

double norm(const std::vector<Ball>& v) {
  Ball sum;
  for (const Ball& x : v) sum += square(x);
  return approx::to_double(sqrt(sum));
}

}  // namespace

TEST_CASE("softmax: 1/2 and sqrt 6 / 9 are attained by two tokens") {
  const PrecisionScope scope(256);
  const Ball half(0.5), z = half;
  const SoftmaxJet<Ball> first = softmax_jet<Ball>({half, half}, {z, -z});
  CHECK(norm(first.first) / std::sqrt(0.5) == Approx(0.5).epsilon(1e-15));
  const Ball a = (Ball(3) - sqrt(Ball(3))) / Ball(6);
  const SoftmaxJet<Ball> second = softmax_jet<Ball>({a, Ball(1) - a}, {z, -z});
  CHECK(norm(second.second) / 0.5 == Approx(std::sqrt(6.0) / 9).epsilon(1e-15));
  CHECK(std::sqrt(6.0) / 9 == Approx(0.272166).epsilon(1e-5));
  // The derivative of one output: third central moment 1 / (6 sqrt 3) for ranges 1.
  CHECK(approx::to_double(second.second[0]) == Approx(1 / (6 * std::sqrt(3.0))).epsilon(1e-15));
  CHECK(1 / (6 * std::sqrt(3.0)) == Approx(0.096225).epsilon(1e-5));
}

TEST_CASE("gaussian: sqrt(beta / e) at |q - k|^2 = 1/beta and beta at q = k") {
  const PrecisionScope scope(256);
  const Ball beta(4), u = Ball(0.5), w(1);
  const GaussianJet<Ball> first = gaussian_jet<Ball>(exp(Ball(-0.5)), beta, {u}, {w});
  CHECK(approx::to_double(abs(first.first)) == Approx(2 / std::sqrt(std::exp(1.0))).epsilon(1e-15));
  CHECK(std::exp(-0.5) == Approx(0.606531).epsilon(1e-5));
  const GaussianJet<Ball> second = gaussian_jet<Ball>(Ball(1), beta, {Ball(0)}, {w});
  CHECK(approx::to_double(abs(second.second)) == 4);
}

TEST_CASE("rungs on derivatives of attention are attained, and not passed") {
  KernelInstance k;
  k.X = {m({{"1"}, {"-1"}})};
  k.Y = {m({{"1"}, {"1"}})};
  k.readout = token_readout(2);
  // Scores +-w/2 with masses (3 +- sqrt 3)/6: w = log((3 + sqrt 3)/(3 - sqrt 3)) = 1.316957897.
  k.weights = {{m({{"0.6584789485"}})}, {m({{"1"}})}, {m({{"1"}})}, {m({{"1"}})}};
  const auto shown = [&](AttentionKernel kernel, const std::string& id, const std::string& rung) {
    for (const ClaimResult& c : verify(k, kernel, Budget()).claims)
      if (c.id == id && c.rung == rung) {
        CHECK((c.verdict.kind == VerdictKind::proved || c.verdict.equality));
        return approx::to_double(c.shown.tightness());
      }
    return 0.0;
  };
  CHECK(shown(AttentionKernel::softmax, "kernel.lip_attention", "d2") == Approx(1).epsilon(1e-8));
  CHECK(shown(AttentionKernel::softmax, "kernel.smoothness_gap", "curvature") ==
        Approx(1).epsilon(1e-8));
  k.weights.W_Q = {m({{"1/1000000"}})};  // masses 1/2
  CHECK(shown(AttentionKernel::softmax, "kernel.lip_attention", "d1") == Approx(1).epsilon(1e-8));
  k.weights = {{m({{"1"}})}, {m({{"0"}})}, {m({{"1"}})}, {m({{"1"}})}};  // |q - k|^2 = 1/beta
  for (const AttentionKernel kernel : {AttentionKernel::gaussian, AttentionKernel::gaussian_over_n})
    CHECK(shown(kernel, "kernel.lip_attention", "d1") == Approx(1).epsilon(1e-12));
  k.weights.W_Q = {m({{"0"}})};  // q = k
  for (const AttentionKernel kernel : {AttentionKernel::gaussian, AttentionKernel::gaussian_over_n})
    CHECK(shown(kernel, "kernel.lip_attention", "d2") == Approx(1).epsilon(1e-12));
}

TEST_CASE("the features of two heads: rank 3 for softmax, 4 for gaussian") {
  const PrecisionScope scope(256);
  const KernelInstance k = two_heads();
  const auto soft = analysis(k, AttentionKernel::softmax),
             gauss = analysis(k, AttentionKernel::gaussian);
  const auto sigma = [](const KernelAnalysis<Ball>& a) {
    std::vector<double> list;
    for (const Ball& s : singular_values(a.joined_features())) list.push_back(approx::to_double(s));
    return list;
  };
  const std::vector<double> s = sigma(soft), g = sigma(gauss);
  const double soft_values[] = {4.913, 2.637, 0.196}, gauss_values[] = {5.403, 3.108, 0.388, 0.159};
  for (std::size_t i = 0; i < 3; ++i) CHECK(s[i] == Approx(soft_values[i]).margin(6e-4));
  for (std::size_t i = 0; i < 4; ++i) CHECK(g[i] == Approx(gauss_values[i]).margin(6e-4));
  // The bias coordinate is why: H (D - 1) + 1 = 3 < 4, which is decided exactly.
  CHECK(soft.facts().affine_tokens.is_proved());
  CHECK(soft.facts().affine_bound() == 3);
  CHECK(soft.mu(KernelBlock::value).is_exact());
  CHECK(soft.mu_positive(KernelBlock::value).holds == Ternary::certainly_false);
  CHECK(approx::to_double(gauss.mu(KernelBlock::value)) == Approx(0.02534).epsilon(1e-3));
}

TEST_CASE("pooled features: 0 for softmax, not for gaussian") {
  const PrecisionScope scope(256);
  const auto soft = analysis(pooled(), AttentionKernel::softmax),
             gauss = analysis(pooled(), AttentionKernel::gaussian);
  CHECK(soft.facts().value_columns().empty());
  CHECK(soft.mu(KernelBlock::value).is_exact());
  const double expected = 2 * std::exp(-2.0) - 2 * std::exp(-0.5);
  CHECK(approx::to_double(gauss.features(0)(0, 0)) == Approx(expected).epsilon(1e-14));
  CHECK(expected == Approx(-0.94239).epsilon(1e-5));
}

TEST_CASE("the Lipschitz constant of the Jacobian is approached at N = n = 1") {
  KernelInstance k;
  k.X = {m({{"1"}})};
  k.Y = {m({{"1"}})};
  k.readout = token_readout(1);
  const std::string tiny = "1/1000000";
  k.weights = {{m({{tiny}})}, {m({{tiny}})}, {m({{tiny}})}, {m({{tiny}})}};
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian, AttentionKernel::gaussian_over_n,
        AttentionKernel::gaussian_normalised}) {
    const KernelVerifyReport r = verify(k, kernel, Budget());
    double best = 0;
    for (const ClaimResult& c : r.claims)
      if (c.id == "kernel.jac_lipschitz.all") {
        CHECK(c.verdict.kind == VerdictKind::proved);
        best = std::max(best, approx::to_double(c.shown.tightness()));
      }
    CHECK(best > 0.7);
  }
}

TEST_CASE("sizes of tokens: spread and products") {
  const PrecisionScope scope(128);
  KernelInstance k = pooled();  // X = (2, -1, -1)
  const TokenSizes<Ball> s = token_sizes(analysis(k, AttentionKernel::softmax), 0);
  CHECK(approx::to_double(s.whole) == Approx(std::sqrt(6.0)).epsilon(1e-15));
  CHECK(approx::to_double(s.spread) == Approx(std::sqrt(6.0)).epsilon(1e-15));
  CHECK(approx::to_double(s.products) == Approx(std::sqrt(6.0)).epsilon(1e-15));  // (4, 1, 1) - 2
  k.X = {m({{"3", "4"}})};
  k.readout = pooled_readout(1);
  k.weights = {{m({{"0"}, {"0"}})}, {m({{"1"}, {"1"}})}, {m({{"1"}, {"1"}})}, {m({{"1"}})}};
  const TokenSizes<Ball> one = token_sizes(analysis(k, AttentionKernel::softmax), 0);
  CHECK(approx::to_double(one.whole) == 5);
  CHECK((one.spread.is_exact() && one.spread.contains_zero()));
  CHECK((one.products.is_exact() && one.products.contains_zero()));
}

TEST_CASE("the Lipschitz constant for gaussian-normalised is approached in Q and K") {
  const PrecisionScope scope(256);
  KernelInstance k;
  k.X = {m({{"1"}, {"99/100"}})};
  k.Y = {m({{"1"}})};
  k.readout = pooled_readout(2);
  k.weights = {{m({{"0"}})}, {m({{"0"}})}, {m({{"10000"}})}, {m({{"10000"}})}};
  const auto a = analysis(k, AttentionKernel::gaussian_normalised);
  const Ball t = ldexp(Ball(1), -40), root = Ball(1) + sqrt(Ball(2));
  KernelWeights<Ball> w = a.model().weights();
  w.W_Q[0](0, 0) += t;
  w.W_K[0](0, 0) -= root * t;
  const KernelModel<Ball> there = a.model_at(w);
  Ball squares;
  for (const KernelBlock block : kernel_blocks) {
    const Matrix<Ball> J = a.jacobian(block), J2 = there.jacobian(block);
    for (std::size_t e = 0; e < J.size(); ++e) squares += square(J.data()[e] - J2.data()[e]);
  }
  const Ball distance = t * sqrt(Ball(1) + square(root)),
             ratio = sqrt(squares) / (jacobian_lipschitz(a, distance) * distance);
  CHECK(approx::to_double(ratio) < 1);
  CHECK(approx::to_double(ratio) > 0.98);
}

TEST_CASE("smoothness constants for W_Q are approached for large targets") {
  KernelInstance k;
  k.X = {m({{"1", "0"}, {"1", "0"}})};
  k.Y = {m({{"100000000"}, {"100000000"}})};
  k.readout = token_readout(2);
  k.weights = {{m({{"1"}, {"0"}})}, {m({{"1"}, {"0"}})}, {m({{"1"}, {"0"}})}, {m({{"1"}})}};
  const KernelVerifyReport r = verify(k, AttentionKernel::gaussian, Budget());
  for (const ClaimResult& c : r.claims)
    if (c.id == "kernel.smooth.query") {
      CHECK(c.verdict.kind == VerdictKind::proved);
      CHECK(approx::to_double(c.shown.tightness()) > 0.9999);
    }
}

TEST_CASE(
    "every kernel of distances is softmax up to diagonal factors; n = 2: the gap of curvature") {
  KernelInstance k;
  k.X = {m({{"1"}, {"-1"}})};
  k.Y = {m({{"1"}, {"1"}})};
  k.readout = token_readout(2);
  k.weights = {{m({{"1/3"}})}, {m({{"4"}})}, {m({{"1"}})}, {m({{"1"}})}};  // beta dK^2 = 64
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian, AttentionKernel::gaussian_over_n,
        AttentionKernel::gaussian_normalised}) {
    INFO(kernel_word(kernel));
    const KernelVerifyReport r = verify(k, kernel, Budget());
    for (const ClaimResult& c : r.claims) {
      if (c.id == "kernel.rank_equivalence")
        CHECK((c.verdict.kind == VerdictKind::proved || c.verdict.equality));
      if (c.id == "kernel.smoothness_gap" && c.rung == "gap")
        CHECK(c.verdict.kind ==
              (is_normalised(kernel) ? VerdictKind::proved : VerdictKind::not_applicable));
    }
    for (const IdentityResult& i : r.identities)
      if (i.id == "kernel.rank_equivalence") CHECK(i.status == "consistent");
  }
}

TEST_CASE("rows that sum to 1 and W_K = 0: the queries are not seen") {
  KernelInstance k = two_heads();
  for (auto& w : k.weights.W_K) w = m({{"0"}, {"0"}});
  const auto bound = [&](AttentionKernel kernel) {
    return KernelFacts(k, kernel).rank_bound(KernelBlock::query);
  };
  CHECK(bound(AttentionKernel::softmax) == 0);
  CHECK(bound(AttentionKernel::gaussian_normalised) == 0);
  CHECK(bound(AttentionKernel::gaussian) > 0);
  const PrecisionScope scope(128);
  for (const Ball& x :
       flatten(analysis(k, AttentionKernel::gaussian_normalised).gradient(), KernelBlock::query))
    CHECK(x.contains_zero());
}

TEST_CASE("tied queries and keys: S is nonsingular where projected tokens differ") {
  KernelInstance k;
  k.X = {m({{"0"}, {"2"}, {"5"}})};
  k.Y = {m({{"1"}, {"0"}, {"2"}})};
  k.readout = token_readout(3);
  k.weights = {{m({{"1"}})}, {m({{"1"}})}, {m({{"1"}})}, {m({{"1"}})}};
  const auto kind = [&](AttentionKernel kernel) {
    for (const ClaimResult& c : verify(k, kernel, Budget()).claims)
      if (c.id == "kernel.rank.tied_qk") return c.verdict;
    return Verdict{};
  };
  CHECK(kind(AttentionKernel::softmax).kind == VerdictKind::proved);
  CHECK(kind(AttentionKernel::gaussian).kind == VerdictKind::proved);
  k.X = {m({{"0"}, {"2"}, {"2"}})};
  CHECK(kind(AttentionKernel::gaussian).reason == "two projected tokens agree");
  k.X = {m({{"0"}, {"1/100"}, {"1/50"}})};
  CHECK(kind(AttentionKernel::gaussian).kind == VerdictKind::not_applicable);
  k.weights.W_K = {m({{"2"}})};
  CHECK(kind(AttentionKernel::gaussian).reason == "W_Q is not W_K");
}

TEST_CASE("targets close to the outputs: the condition of joint training and a zero of the loss") {
  const AttentionKernel kernel =
      GENERATE(AttentionKernel::gaussian, AttentionKernel::gaussian_normalised);
  KernelInstance k = two_heads();
  const auto model = kernel_model<double>(k, kernel);
  for (std::size_t e = 0; e < k.Y[0].size(); ++e)
    k.Y[0].data()[e] = Rational(model.outputs(0).data()[e]) + Rational::power_of_two(-30);
  const KernelVerifyReport near = verify(k, kernel, Budget());
  const KernelVerifyReport far = verify(two_heads(), kernel, Budget());
  for (const char* rung : {"rate", "distance"})
    for (const KernelVerifyReport* r : {&near, &far})
      for (const ClaimResult& c : r->claims)
        if (c.id == "kernel.init_condition.all" && c.rung == rung)
          CHECK(c.verdict.kind == (r == &near ? VerdictKind::proved : VerdictKind::not_applicable));
  for (const ClaimResult& c : near.claims)
    if (c.id == "kernel.existence") CHECK(c.verdict.kind == VerdictKind::proved);
}
