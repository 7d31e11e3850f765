// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/dm1.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "heed/data/generate.hpp"
#include "heed/data/read.hpp"
#include "heed/margin/ntk_margin.hpp"
#include "heed/theory/mixture.hpp"

using namespace heed;

namespace {

bool every(const std::string&, const std::string&) { return true; }

const RungValues<Ball>& find(const std::vector<RungValues<Ball>>& all, const std::string& id,
                             const std::string& rung) {
  for (const RungValues<Ball>& r : all)
    if (r.id == id && r.rung == rung) return r;
  throw std::runtime_error("no rung " + id + " " + rung);
}

std::vector<RungValues<Ball>> claims(const MhaInstance& m) {
  return dm1_claims(m, MhaAnalysis<Ball>(m), every);
}

/// Samples of both labels for each pattern of nuisances; signal positions first. Unit axes times S:
/// 0, 1 for mu_+ and mu_-, 2 + j for nu_j. One head with weights s 1 ubar^T, s = c.
MhaInstance mixture(const std::vector<std::vector<std::size_t>>& patterns, std::size_t signal,
                    std::size_t M, const Rational& S, const Rational& c) {
  MhaInstance m;
  const std::size_t T = signal + patterns.front().size();
  for (const int label : {1, -1})
    for (const auto& pattern : patterns) {
      Matrix<Rational> X(T, M + 2);
      for (std::size_t t = 0; t < T; ++t)
        X(t, t < signal ? (label > 0 ? 0 : 1) : 2 + pattern[t - signal]) = S;
      m.X.push_back(X);
      m.y.push_back(label);
    }
  Matrix<Rational> U(T, M + 2);
  const Rational zeta(static_cast<long>(signal), static_cast<long>(T));
  for (std::size_t t = 0; t < T; ++t) {
    U(t, 0) = c * zeta * S / Rational(2);
    U(t, 1) = -U(t, 0);
  }
  m.weights = MhaWeights{{U}, {Matrix<Rational>(M + 2, M + 2)}};
  return m;
}

/// All patterns of `length` nuisances out of M, up to order.
std::vector<std::vector<std::size_t>> all_patterns(std::size_t length, std::size_t M) {
  std::vector<std::vector<std::size_t>> all;
  std::function<void(std::vector<std::size_t>)> extend = [&](std::vector<std::size_t> p) {
    if (p.size() == length) {
      all.push_back(p);
      return;
    }
    for (std::size_t j = p.empty() ? 0 : p.back(); j < M; ++j) {
      p.push_back(j);
      extend(p);
      p.pop_back();
    }
  };
  extend({});
  return all;
}

/// gamma / gamma_* - 1, exact up to the square root.
double excess(const MhaInstance& m, std::size_t M) {
  const auto structure = mixture_structure(m);
  REQUIRE(structure);
  const auto weights = one_step_weights(m);
  REQUIRE(weights);
  const Rational ratio = *exact_ntk_margin(m)->squared /
                         dm1_margin_squared(static_cast<long>(structure->T), structure->zeta,
                                            structure->S2, Rational(1), static_cast<long>(M));
  return std::sqrt(ratio.nearest_double()) - 1;
}

}  // namespace

TEST_CASE("the reference file: kernel, both bounds and equality are proved") {
  const MhaInstance m =
      read_mha_instance(std::string(HEED_TEST_DATA) + "/fixtures/mha_dm1_onestep.json");
  const auto rungs = claims(m);
  REQUIRE(rungs.size() == 5);
  const Item<Ball>& kernel = find(rungs, "mha.dm1.kernel", "exact").items.at(0);
  CHECK((kernel.lhs.is_exact() && kernel.lhs.contains_zero()));
  for (const char* rung : {"lower", "upper"}) {
    const RungValues<Ball>& r = find(rungs, "mha.dm1.margin", rung);
    CHECK(r.reflexive);
    CHECK(r.items.at(0).lhs.overlaps(r.items.at(0).rhs));
  }
  const Ball stored(Rational::parse("0.82205915237286908999765544957056832"));
  CHECK(abs(find(rungs, "mha.dm1.margin", "lower").items[0].lhs - stored).has_absolute_digits(20));
  CHECK(dm1_margin_squared(4, Rational(1, 2), Rational(1), Rational(9), 2) ==
        Rational::parse("0.67578125"));
  CHECK(find(rungs, "mha.dm1.margin_U", "token").not_applicable.empty());
}

TEST_CASE("the population margin: equal where M divides the nuisances, larger elsewhere") {
  // Unit c: U_h = (zeta/2)(mu_+ - mu_-) / ... is scaled by c, so gamma_* uses c^2.
  const auto population = [](std::size_t signal, std::size_t rest, std::size_t M, const char* S) {
    return mixture(all_patterns(rest, M), signal, M, Rational::parse(S), Rational(1));
  };
  CHECK(excess(population(2, 2, 2, "1"), 2) == 0);
  CHECK(excess(population(1, 3, 3, "2"), 3) == 0);
  CHECK(excess(population(1, 3, 2, "3"), 2) == Approx(0.0025).margin(0.0001));
  CHECK(excess(mixture({{0, 0}, {1, 1}}, 2, 2, Rational(2), Rational(1)), 2) ==
        Approx(0.069).margin(0.0005));
}

TEST_CASE("unbalanced data: the closed form is strictly below, and the upper rung does not apply") {
  const auto rungs = claims(mixture({{0, 0}, {1, 1}}, 2, 2, Rational(2), Rational(1)));
  const RungValues<Ball>& lower = find(rungs, "mha.dm1.margin", "lower");
  CHECK_FALSE(lower.reflexive);
  CHECK(certainly(less(lower.items.at(0).lhs, lower.items.at(0).rhs)));
  CHECK(find(rungs, "mha.dm1.margin", "upper").not_applicable ==
        "not so: each label has a sample with every nuisance equally often");
}

TEST_CASE("generated mixtures, rotated and noisy: what applies is proved") {
  std::size_t margins = 0, tokens = 0, noises = 0, kernels = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MixtureSpec spec;
    spec.seed = seed;
    spec.tokens = seed % 3 == 0 ? 6 : 4;
    spec.nuisances = 1 + seed % 3;
    spec.dim = spec.nuisances + 2 + seed % 2;
    spec.rotate = seed % 4 == 1;
    spec.noise_sd = seed % 2 == 0 ? 0.02 : 0;
    spec.clip = Rational(1, 10);
    MhaInstance m = generate_mixture(spec);
    set_weights(m, parse_weight_spec("zero"), 2, seed);
    const auto structure = mixture_structure(m);
    REQUIRE(structure);
    for (Matrix<Rational>& U : m.weights->U)
      for (std::size_t t = 0; t < U.rows(); ++t)
        for (std::size_t c = 0; c < U.cols(); ++c)
          U(t, c) = structure->mu_plus[c] - structure->mu_minus[c];
    INFO("seed " << seed);
    for (const RungValues<Ball>& r : claims(m)) {
      if (!r.not_applicable.empty()) continue;
      const Item<Ball>& item = r.items.at(0);
      INFO(r.id << " " << r.rung);
      const bool equal = r.reflexive || (r.id == "mha.dm1.margin_noise" && spec.noise_sd == 0 &&
                                         item.lhs.overlaps(item.rhs));
      CHECK((equal || certainly(less_equal(item.lhs, item.rhs))));
      margins += r.id == "mha.dm1.margin" ? 1 : 0;
      tokens += r.id == "mha.dm1.margin_U" ? 1 : 0;
      kernels += r.id == "mha.dm1.kernel" ? 1 : 0;
      if (r.id == "mha.dm1.margin_noise") {
        ++noises;
        if (spec.noise_sd > 0)
          CHECK(approx::to_double(item.lhs) > 0.7 * approx::to_double(item.rhs));
      }
    }
  }
  CHECK(margins >= 6);
  CHECK(tokens == 12);
  CHECK(kernels == 12);
  CHECK(noises >= 8);
}

TEST_CASE("tokens against the signal lower the bound of the read-out, as by hand") {
  MhaInstance m = mixture({{0, 1}, {1, 1}}, 2, 2, Rational(1), Rational(1));
  for (std::size_t c = 0; c < 4; ++c) m.X[1](3, c) = Rational(c == 0 ? -1 : 0, 2L);
  const auto rungs = claims(m);  // sqrt 2 (1/2 - 1/2 * 1/2)
  const Item<Ball>& item = find(rungs, "mha.dm1.margin_U", "token").items.at(0);
  CHECK((item.lhs - sqrt(Ball(2)) / Ball(4)).has_absolute_digits(30));
  CHECK(certainly(less(item.lhs, item.rhs)));
}

TEST_CASE("structure that is not there is not seen") {
  const MhaInstance m = mixture({{0, 1}, {0, 0}}, 2, 2, Rational(1), Rational(1));
  MhaInstance other = m;
  other.X[0](0, 2) = Rational(1);
  CHECK_FALSE(mixture_structure(other));  // mu_+ only once in a sample
  other.X[2](0, 2) = Rational(1);
  CHECK_FALSE(mixture_structure(other));  // nor mu_-
  other = m;
  other.y = {1, 1, 1, 1};
  CHECK_FALSE(mixture_structure(other));
  other = m;
  other.X[1](3, 3) = Rational(2);  // a nuisance of another norm
  REQUIRE(mixture_structure(other));
  CHECK_FALSE(nuisances(other, *mixture_structure(other)));
  other = m;
  other.weights->W[0](0, 0) = Rational(1);
  CHECK_FALSE(one_step_weights(other));
  other = m;
  other.weights->U[0](1, 0) += Rational(1);
  CHECK_FALSE(one_step_weights(other));
  CHECK(one_step_weights(m)->c2 == Rational(1));
}
