// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "heed/data/generate.hpp"
#include "heed/data/write.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::matrix;
using data_test::message_of;

namespace {

std::vector<Rational> row(const Matrix<Rational>& a, std::size_t t) {
  return {a.row(t), a.row(t) + a.cols()};
}

Rational dot(const std::vector<Rational>& a, const std::vector<Rational>& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<Rational> axis(std::size_t dim, std::size_t k, const Rational& length) {
  std::vector<Rational> e(dim);
  e[k] = length;
  return e;
}

bool all_doubles(const MhaInstance& instance) {
  try {
    to_npz(instance, "f");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

MixtureSpec mixture() {
  MixtureSpec spec;
  spec.samples = 12;
  spec.tokens = 8;
  spec.dim = 7;
  spec.nuisances = 3;
  spec.strength = Rational(2);
  spec.zeta = Rational(3L, 8);
  spec.noise_sd = 0.2;
  spec.clip = Rational::parse("0.4");
  spec.seed = 5;
  return spec;
}

}  // namespace

TEST_CASE("a mixture has zeta T signal tokens and clipped noise at the others") {
  const MixtureSpec spec = mixture();
  const MhaInstance instance = generate_mixture(spec);
  REQUIRE(instance.samples() == 12);
  CHECK(std::count(instance.y.begin(), instance.y.end(), 1) == 6);
  const Rational bound = spec.clip * spec.clip;
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    const auto mu = axis(7, instance.y[i] > 0 ? 0 : 1, spec.strength);
    std::size_t signal = 0;
    for (std::size_t t = 0; t < 8; ++t) {
      const auto token = row(instance.X[i], t);
      if (token == mu) {
        ++signal;
        continue;
      }
      std::size_t near = 0;
      for (std::size_t j = 0; j < spec.nuisances; ++j) {
        auto z = token;
        z[2 + j] -= spec.strength;
        const Rational size = dot(z, z);
        if (size <= bound) ++near;
        if (size <= bound && size > bound * Rational(99L, 100)) ++clipped;
      }
      CHECK(near == 1);
    }
    CHECK(signal == 3);
  }
  CHECK(clipped > 5);
  CHECK(all_doubles(instance));
}

TEST_CASE("a mixture without noise is exact and positions vary") {
  MixtureSpec spec = mixture();
  spec.noise_sd = 0;
  spec.strength = Rational(1L, 3);
  const MhaInstance instance = generate_mixture(spec);
  std::vector<std::size_t> first_signal;
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    for (std::size_t t = 0; t < 8; ++t) {
      const auto token = row(instance.X[i], t);
      CHECK(dot(token, token) == Rational(1L, 9));
      if (token[0] + token[1] == spec.strength) first_signal.push_back(t);
    }
  }
  std::sort(first_signal.begin(), first_signal.end());
  CHECK(std::unique(first_signal.begin(), first_signal.end()) - first_signal.begin() == 8);
}

TEST_CASE("noise with a strength that is no double keeps its bound exactly") {
  MixtureSpec spec = mixture();
  spec.strength = Rational(1L, 3);
  spec.noise_sd = 3;
  const MhaInstance instance = generate_mixture(spec);
  const Rational reach = spec.strength + spec.clip;
  for (const auto& X : instance.X) {
    for (std::size_t t = 0; t < X.rows(); ++t) {
      CHECK(dot(row(X, t), row(X, t)) <= reach * reach);
    }
  }
}

TEST_CASE("no noise survives a clip of zero") {
  MixtureSpec spec = mixture();
  spec.clip = Rational(0);
  for (const auto& X : generate_mixture(spec).X) {
    for (std::size_t t = 0; t < X.rows(); ++t) CHECK(dot(row(X, t), row(X, t)) == Rational(4));
  }
}

TEST_CASE("a rotation keeps every inner product exactly") {
  MixtureSpec spec = mixture();
  spec.samples = 3;
  const MhaInstance plain = generate_mixture(spec);
  spec.rotate = true;
  const MhaInstance rotated = generate_mixture(spec);
  CHECK_FALSE(plain.X == rotated.X);
  CHECK(plain.y == rotated.y);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t s = 0; s < 8; ++s) {
        CHECK(dot(row(plain.X[i], s), row(plain.X[j], 7 - s)) ==
              dot(row(rotated.X[i], s), row(rotated.X[j], 7 - s)));
      }
    }
  }
}

TEST_CASE("a seed decides everything, and coins fall both ways") {
  MixtureSpec spec = mixture();
  CHECK(to_json(generate_mixture(spec)) == to_json(generate_mixture(spec)));
  MixtureSpec other = mixture();
  other.seed = 6;
  CHECK_FALSE(same_numbers(generate_mixture(spec), generate_mixture(other)));
  spec.labels = Labels::coin;
  spec.samples = 200;
  const auto y = generate_mixture(spec).y;
  const auto positive = std::count(y.begin(), y.end(), 1);
  CHECK(positive > 70);
  CHECK(positive < 130);
  CHECK(generate_mixture(mixture()).origin ==
        "tokenized mixture: n=12 T=8 d=7 M=3 S=2 zeta=0.375 noise=0.2 clip=0.4 labels=balanced "
        "seed=5");
}

TEST_CASE("mixture parameters that make no sense are refused by name") {
  const auto refusal = [](auto&& change) {
    MixtureSpec spec = mixture();
    change(spec);
    return message_of([&] { generate_mixture(spec); });
  };
  CHECK(refusal([](MixtureSpec& s) { s.zeta = Rational(1L, 3); }) ==
        "zeta: expected zeta T to be an integer from 1 to T - 1, found zeta = 1/3 with T = 8");
  CHECK(refusal([](MixtureSpec& s) { s.zeta = Rational(1); }).find("zeta: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.zeta = Rational(0); }).find("zeta: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.tokens = 1; }).find("zeta: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.dim = 4; }) ==
        "dim: expected at least M + 2 = 3 + 2, found 4");
  CHECK(refusal([](MixtureSpec& s) { s.dim = 1; }).find("dim: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.dim = 0; }).find("dim: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.nuisances = 0; }).find("nuisances: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.samples = 0; }).find("n: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.tokens = 0; }).find("tokens: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.samples = std::size_t{1} << 62; }).find("n, tokens") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.strength = Rational(0); }).find("strength: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.noise_sd = -1; }).find("noise: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.noise_sd = 0.0 / 0.0; }).find("noise: ") == 0);
  CHECK(refusal([](MixtureSpec& s) { s.clip = Rational(-1); }).find("clip: ") == 0);
}

TEST_CASE("gaussian and unit tokens") {
  TokenSpec spec;
  spec.samples = 50;
  spec.dim = 10;
  const MhaInstance gaussian = generate_gaussian_tokens(spec);
  const MhaInstance unit = generate_unit_tokens(spec);
  CHECK(all_doubles(gaussian));
  CHECK(all_doubles(unit));
  Rational total;
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t t = 0; t < 4; ++t) {
      total += dot(row(gaussian.X[i], t), row(gaussian.X[i], t));
      const auto token = row(unit.X[i], t);
      CHECK(abs(dot(token, token) - Rational(1)) < Rational::power_of_two(-48));
    }
  }
  CHECK(total > Rational(1700));
  CHECK(total < Rational(2300));
  spec.scale = -1;
  CHECK(message_of([&] { generate_gaussian_tokens(spec); }).find("scale: ") == 0);
  spec.scale = 2;
  CHECK(message_of([&] { generate_unit_tokens(spec); }).find("scale: ") == 0);
}

TEST_CASE("weight words") {
  CHECK(parse_weight_spec("none").kind == WeightSpec::Kind::none);
  CHECK(parse_weight_spec("zero").kind == WeightSpec::Kind::zero);
  CHECK(parse_weight_spec("gaussian:1/2").gaussian_sd == 0.5);
  CHECK(parse_weight_spec("one-step:1/3").eta0 == Rational(1L, 3));
  for (const char* text : {"", "gaussian", "gaussian:-1", "gaussian:1e400", "one-step",
                           "one-step:x", "zero:1", "ones"}) {
    INFO(text);
    CHECK(message_of([&] { parse_weight_spec(text); }).find("weights") == 0);
  }
}

TEST_CASE("zero and gaussian weights have the shapes of the instance") {
  MhaInstance instance = generate_mixture(mixture());
  set_weights(instance, parse_weight_spec("zero"), 3, 1);
  REQUIRE(instance.heads() == 3);
  CHECK(instance.weights->U[2] == Matrix<Rational>(8, 7));
  CHECK(instance.weights->W[2] == Matrix<Rational>(7, 7));
  set_weights(instance, parse_weight_spec("gaussian:0.5"), 2, 1);
  REQUIRE(instance.heads() == 2);
  CHECK(instance.weights->U[1].rows() == 8);
  CHECK(all_doubles(instance));
  const MhaWeights before = *instance.weights;
  set_weights(instance, parse_weight_spec("gaussian:0.5"), 2, 2);
  CHECK_FALSE(*instance.weights == before);
  set_weights(instance, parse_weight_spec("none"), 0, 1);
  CHECK_FALSE(instance.weights);
  CHECK(message_of([&] {
          set_weights(instance, parse_weight_spec("zero"), 0, 1);
        }).find("heads: ") == 0);
  CHECK(message_of([&] {
          set_weights(instance, parse_weight_spec("zero"), std::size_t{1} << 40, 1);
        }).find("heads: ") == 0);
}

TEST_CASE("one step from zero, by hand") {
  MhaInstance instance;
  instance.X = {matrix({{"1", "0"}, {"3", "2"}}), matrix({{"0", "1"}, {"0", "3"}})};
  instance.y = {1, -1};
  // xbar = (2, 1) and (0, 2); ubar = (1, -1/2); H = 4, eta0 = 6: |s| = 6 / (2 * 2) = 3/2.
  set_weights(instance, parse_weight_spec("one-step:6"), 4, 3);
  const auto expected = matrix({{"3/2", "-3/4"}, {"3/2", "-3/4"}});
  for (const auto& U : instance.weights->U) {
    CHECK((U == expected || map(U, [](const Rational& x) { return -x; }) == expected));
  }
  CHECK(instance.weights->W[3] == Matrix<Rational>(2, 2));
  CHECK(instance.notes.empty());

  instance.loss = Loss::exponential;
  set_weights(instance, parse_weight_spec("one-step:6"), 1, 3);
  CHECK(abs(instance.weights->U[0](1, 0)) == Rational(6));

  set_weights(instance, parse_weight_spec("one-step:6"), 2, 3);
  CHECK(instance.notes.size() == 1);
}

TEST_CASE("one step for ragged samples uses in row t the samples that have it") {
  MhaInstance instance;
  instance.X = {matrix({{"1"}}), matrix({{"4"}, {"8"}})};
  instance.y = {1, -1};
  set_weights(instance, parse_weight_spec("one-step:2"), 1, 3);
  // Row 0: (1 - 6) / 2; row 1: -6 / 2; times s = +-1.
  const Rational sign = instance.weights->U[0](1, 0) / Rational(-3);
  CHECK(abs(sign) == Rational(1));
  CHECK(instance.weights->U[0](0, 0) == sign * Rational(-5L, 2));
}

TEST_CASE("heads get both signs") {
  MhaInstance instance = generate_mixture(mixture());
  set_weights(instance, parse_weight_spec("one-step:1"), 64, 9);
  std::size_t positive = 0;
  for (const auto& U : instance.weights->U) positive += U(0, 0).sign() > 0 ? 1 : 0;
  CHECK(positive > 16);
  CHECK(positive < 48);
}
