// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/ntk.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "heed/data/generate.hpp"
#include "heed/data/read.hpp"
#include "heed/theory/ntk_step.hpp"
#include "heed/theory/verify.hpp"

using namespace heed;

namespace {

MhaInstance fixture(const std::string& name) {
  return read_mha_instance(std::string(HEED_TEST_DATA) + "/fixtures/mha_" + name + ".json");
}

bool every(const std::string&, const std::string&) { return true; }

template <class S>
const RungValues<S>& find(const std::vector<RungValues<S>>& all, const std::string& id,
                          const std::string& rung) {
  for (const RungValues<S>& r : all)
    if (r.id == id && r.rung == rung) return r;
  throw std::runtime_error("no rung " + id + " " + rung);
}

Matrix<Rational> random_matrix(std::mt19937_64& random, std::size_t rows, std::size_t cols) {
  Matrix<Rational> m(rows, cols);
  for (Rational& x : m.entries()) x = Rational(static_cast<long>(random() % 9) - 4, 3L);
  return m;
}

/// Ragged tokens at weights with uniform attention.
MhaInstance uniform_instance(std::mt19937_64& random) {
  MhaInstance m;
  const std::size_t n = 1 + random() % 5, d = 1 + random() % 3, H = 1 + random() % 3;
  for (std::size_t i = 0; i < n; ++i) {
    m.X.push_back(random_matrix(random, 1 + random() % 3, d));
    m.y.push_back(random() % 2 == 0 ? 1 : -1);
  }
  m.weights.emplace();
  for (std::size_t h = 0; h < H; ++h) {
    m.weights->U.push_back(random_matrix(random, m.max_tokens(), d));
    m.weights->W.emplace_back(d, d);
  }
  return m;
}

/// T = d = H = 1, so psi = x: x = 1 and -2 of label 1 cannot be separated.
MhaInstance opposite_numbers() {
  MhaInstance m;
  for (const long x : {1L, -2L}) {
    m.X.emplace_back(1, 1);
    m.X.back()(0, 0) = Rational(x);
    m.y.push_back(1);
  }
  m.weights = MhaWeights{{Matrix<Rational>(1, 1)}, {Matrix<Rational>(1, 1)}};
  return m;
}

}  // namespace

TEST_CASE("exact features at uniform attention are those of the model, and so is their margin") {
  std::mt19937_64 random(9);
  std::size_t zero = 0, positive = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const MhaInstance m = uniform_instance(random);
    INFO("trial " << trial);
    const auto F = rational_ntk_features(m);
    REQUIRE(F);
    const PrecisionScope scope(256);
    const MhaModel<Ball> model(mha_inputs<Ball>(m));
    const Ball root = sqrt(Ball(static_cast<int>(m.heads())));
    for (std::size_t i = 0; i < m.samples(); ++i)
      for (std::size_t k = 0; k < m.parameters(); ++k)
        CHECK((Ball(m.y[i]) * root * model.phi_gradients()(i, k)).overlaps(Ball((*F)(i, k))));
    const auto exact = exact_ntk_margin(m);
    REQUIRE(exact);
    const KernelMargin enclosed = ntk_margin(model);
    CHECK(enclosed.gamma().overlaps(exact->bounds.gamma()));
    CHECK(square(enclosed.gamma()).overlaps(Ball(*exact->squared)));
    CHECK(exact->bounds.not_separable() == (exact->squared->sign() == 0));
    CHECK(enclosed.separable() == (exact->squared->sign() > 0));
    ++(exact->squared->sign() > 0 ? positive : zero);
  }
  CHECK(zero > 5);
  CHECK(positive > 20);
}

TEST_CASE("a margin that is 0 without equal samples is proved 0 where the features are exact") {
  const MhaInstance m = opposite_numbers();
  const NtkEnclosure found = enclose_ntk_margin(m, Budget{});
  CHECK(found.margin.bounds.not_separable());
  CHECK(found.margin.bounds.alpha == std::vector<Rational>{Rational(2, 3), Rational(1, 3)});
  CHECK_FALSE(found.budget_ended);
  CHECK(*found.margin.squared == Rational(0));
}

TEST_CASE("features that nearly cancel: margin / norm = 1e-10 is separable, with all digits") {
  MhaInstance m = fixture("base");
  m.X[1] = m.X[0];
  m.y = {1, -1, 1};
  m.X[1](0, 0) += Rational::parse("1e-10");
  for (const int digits : {12, 30}) {
    Budget budget;
    budget.digits = digits;
    const NtkEnclosure found = enclose_ntk_margin(m, budget);
    CHECK(found.margin.bounds.separable());
    CHECK_FALSE(found.budget_ended);
    CHECK(found.margin.bounds.gamma().has_relative_digits(digits));
    CHECK(approx::to_double(found.margin.bounds.upper) < 1e-9);
    CHECK(approx::to_double(found.margin.bounds.upper) > 1e-12);
    const PrecisionScope scope(512);
    CHECK(ntk_margin(MhaModel<Ball>(mha_inputs<Ball>(m)))
              .gamma()
              .overlaps(found.margin.bounds.gamma()));
  }
}

TEST_CASE("a budget that ends leaves a true enclosure") {
  Budget budget;
  budget.digits = 40;
  budget.max_bits = 128;
  budget.start_bits = 64;
  const NtkEnclosure short_of = enclose_ntk_margin(fixture("saturated"), budget);
  budget = Budget{};
  budget.digits = 40;
  const NtkEnclosure found = enclose_ntk_margin(fixture("saturated"), budget);
  CHECK_FALSE(found.budget_ended);
  CHECK(short_of.bits <= 128);
  CHECK(short_of.margin.bounds.gamma().overlaps(found.margin.bounds.gamma()));
}

TEST_CASE("double and balls say the same of every rung") {
  for (const char* name : {"base", "h1", "d1", "mixed_margin", "t1"}) {
    INFO(name);
    const auto first = ntk_claims(MhaAnalysis<DoubleBall>(fixture(name)), every);
    const PrecisionScope scope(256);
    const auto second = ntk_claims(MhaAnalysis<Ball>(fixture(name)), every);
    REQUIRE(first.size() == 8);
    REQUIRE(second.size() == 8);
    for (std::size_t k = 0; k < 8; ++k) {
      CHECK(first[k].rung == second[k].rung);
      if (first[k].id == "mha.ntk.realizability") continue;  // at another step
      REQUIRE(first[k].items.size() == second[k].items.size());
      for (std::size_t j = 0; j < first[k].items.size(); ++j) {
        CHECK(to_ball(first[k].items[j].lhs).overlaps(second[k].items[j].lhs));
        CHECK(to_ball(first[k].items[j].rhs).overlaps(second[k].items[j].rhs));
        CHECK(to_ball(first[k].items[j].lhs).has_relative_digits(8));
      }
    }
  }
}

TEST_CASE("small tokens: the step that the margin promises makes the loss small, proved") {
  MixtureSpec spec;
  spec.samples = 6;
  spec.dim = 6;
  spec.strength = Rational::parse("0.02");
  MhaInstance m = generate_mixture(spec);
  set_weights(m, parse_weight_spec("zero"), 2, 1);
  const auto check = [&]<class S>(const S&) {
    const auto rungs = ntk_claims(MhaAnalysis<S>(m), every);
    const RungValues<S>& loss = find(rungs, "mha.ntk.realizability", "loss");
    REQUIRE(loss.not_applicable.empty());
    CHECK(certainly(less_equal(loss.items[0].lhs, loss.items[0].rhs)));
    CHECK(approx::to_double(loss.items[0].lhs) > 0.5 * approx::to_double(loss.items[0].rhs));
    const RungValues<S>& taylor = find(rungs, "mha.ntk.realizability", "taylor");
    REQUIRE(taylor.items.size() == 6);
    for (const Item<S>& item : taylor.items) {
      CHECK(certainly(less_equal(item.lhs, item.rhs)));
      CHECK(approx::to_double(item.lhs) > 0.5 * approx::to_double(item.rhs));
    }
  };
  check(DoubleBall());
  check(Ball());
}

TEST_CASE("what a step promises is the formula, with norms and margins computed apart") {
  std::size_t negative = 0;
  for (const char* name : {"base", "h1", "d1", "mixed_margin", "t1", "theta0", "near_tie"}) {
    INFO(name);
    const PrecisionScope scope(256);
    const MhaAnalysis<Ball> a(fixture(name));
    const KernelMargin margin = ntk_margin(a.model());
    const auto step = ntk_step(a, margin, Ball(2));
    REQUIRE(step);
    const MhaInputs<Ball>& in = a.model().inputs();
    Ball B, most, largest = a.model().phi()[0];
    for (const Ball& phi : a.model().phi()) {
      B = max(B, max(phi, -phi));
      largest = max(largest, phi);
    }
    negative += certainly(less(largest, B)) ? 1 : 0;
    for (std::size_t h = 0; h < a.heads(); ++h) {
      Ball U, v;
      for (std::size_t k = 0; k < in.U[h].size(); ++k) {
        Ball sum;
        for (std::size_t i = 0; i < a.samples(); ++i)
          sum += Ball(in.y[i]) * Ball(margin.alpha[i]) *
                 a.model().phi_gradients()(i, h * in.head_parameters() + k);
        v += square(sum / margin.upper);
        U += square(in.U[h].data()[k]);
      }
      most = max(most, sqrt(U) + Ball(step->t) * sqrt(v));
    }
    // b2(M) = lam(s, k), s = sqrt(T) R^3, k = (4 / (3 sqrt 3)) s R^2 M
    const Ball R = a.norms().R, s = sqrt(Ball(static_cast<int>(in.tokens()))) * R * R * R;
    const Ball k = Ball(4) / (Ball(3) * sqrt(Ball(3))) * s * R * R * most;
    const Ball b2 = (k + sqrt(k * k + Ball(4) * s * s)) / Ball(2);
    const Ball t(step->t);
    const Ball promised =
        t * margin.lower - B - t * t * b2 / (Ball(2) * sqrt(Ball(static_cast<int>(a.heads()))));
    CHECK(promised.overlaps(step->promised));
    CHECK(step->promised.has_relative_digits(30));
  }
  CHECK(negative >= 2);
}

TEST_CASE("claims on a margin of 0, proved or not") {
  const auto zero = ntk_claims(MhaAnalysis<Ball>(fixture("nonseparable")), every);
  CHECK(find(zero, "mha.ntk.margin", "single").items[0].lhs.is_exact());
  CHECK(find(zero, "mha.ntk.split", "parts").not_applicable ==
        "the NTK margin is not proved positive");
  const auto decided = ntk_claims(MhaAnalysis<DoubleBall>(fixture("nonseparable")), every);
  CHECK(find(decided, "mha.ntk.split", "parts").complete);
  const MhaInstance m = opposite_numbers();
  const auto rungs = ntk_claims(MhaAnalysis<DoubleBall>(m), every);
  CHECK_FALSE(find(rungs, "mha.ntk.split", "parts").complete);  // n <= P: balls may tell more
}
