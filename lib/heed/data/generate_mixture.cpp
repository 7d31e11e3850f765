// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "heed/data/detail/random.hpp"
#include "heed/data/detail/reflection.hpp"
#include "heed/data/generate.hpp"
#include "heed/data/write.hpp"

namespace heed {
namespace {

using detail::Random;
using detail::require_parameter;
using detail::Stream;

/// zeta T as an integer in 1..T-1.
std::size_t signal_tokens(const MixtureSpec& spec) {
  const Rational count = spec.zeta * Rational(static_cast<long>(spec.tokens));
  for (std::size_t k = 1; k < spec.tokens; ++k) {
    if (count == Rational(static_cast<long>(k))) return k;
  }
  require_parameter(false, "zeta", "zeta T to be an integer from 1 to T - 1",
                    "zeta = " + spec.zeta.to_string() + " with T = " + std::to_string(spec.tokens));
  return 0;
}

void check(const MixtureSpec& spec) {
  detail::require_sizes(spec.samples, spec.tokens, spec.dim);
  require_parameter(spec.nuisances > 0, "nuisances", "M >= 1", "0");
  require_parameter(spec.dim >= 2 && spec.dim - 2 >= spec.nuisances, "dim",
                    "at least M + 2 = " + std::to_string(spec.nuisances) + " + 2",
                    std::to_string(spec.dim));
  const Rational largest = Rational::parse("1e100");
  require_parameter(spec.strength.sign() > 0 && spec.strength <= largest, "strength",
                    "0 < S <= 1e100", exact_text(spec.strength));
  require_parameter(spec.noise_sd >= 0 && spec.noise_sd <= 1e100, "noise",
                    "a number from 0 to 1e100", detail::double_text(spec.noise_sd));
  require_parameter(spec.clip.sign() >= 0 && spec.clip <= largest, "clip",
                    "a number from 0 to 1e100", exact_text(spec.clip));
}

Rational norm_squared(const std::vector<Rational>& z) {
  Rational sum;
  for (const Rational& x : z) sum += x * x;
  return sum;
}

bool is_double(const Rational& x) {
  const double nearest = x.nearest_double();
  return std::isfinite(nearest) && Rational(nearest) == x;
}

/// nu_j + z as entries that are doubles if S is one, with ||z|| <= clip exactly.
std::vector<Rational> noisy_token(const MixtureSpec& spec, std::size_t axis, Random& random) {
  std::vector<Rational> token(spec.dim);
  token[axis] = spec.strength;
  if (spec.noise_sd == 0) return token;
  const bool round = is_double(spec.strength);
  std::vector<double> z(spec.dim);
  double norm = 0;
  for (double& x : z) {
    x = random.normal(spec.noise_sd);
    norm = std::hypot(norm, x);
  }
  const double clip = spec.clip.nearest_double();
  double factor = norm > clip ? clip / norm : 1;
  const Rational bound = spec.clip * spec.clip;
  // Rounding may push the norm over the bound by a few units; then shorten a little more.
  for (int attempt = 0; attempt < 60; ++attempt) {
    std::vector<Rational> noise(spec.dim);
    for (std::size_t k = 0; k < spec.dim; ++k) {
      noise[k] = Rational(factor * z[k]);
      if (k == axis && round) {
        noise[k] = Rational((spec.strength + noise[k]).nearest_double()) - spec.strength;
      }
    }
    if (norm_squared(noise) <= bound) {
      for (std::size_t k = 0; k < spec.dim; ++k) token[k] += noise[k];
      return token;
    }
    factor *= 1 - std::ldexp(1.0, attempt - 50);
  }
  return token;
}

std::string origin_text(const MixtureSpec& spec) {
  return "tokenized mixture: n=" + std::to_string(spec.samples) +
         " T=" + std::to_string(spec.tokens) + " d=" + std::to_string(spec.dim) +
         " M=" + std::to_string(spec.nuisances) + " S=" + exact_text(spec.strength) +
         " zeta=" + exact_text(spec.zeta) + " noise=" + detail::double_text(spec.noise_sd) +
         " clip=" + exact_text(spec.clip) +
         " labels=" + (spec.labels == Labels::coin ? "coin" : "balanced") +
         (spec.rotate ? " rotated" : "") + " seed=" + std::to_string(spec.seed);
}

}  // namespace

MhaInstance generate_mixture(const MixtureSpec& spec) {
  check(spec);
  const std::size_t signal = signal_tokens(spec);
  Random random(spec.seed, Stream::tokens);
  Random rotation(spec.seed, Stream::rotation);
  const detail::Reflection first(spec.dim, rotation), second(spec.dim, rotation);

  MhaInstance instance;
  instance.name = "mixture";
  instance.origin = origin_text(spec);
  instance.y = detail::random_labels(spec.samples, spec.labels, spec.seed);
  std::vector<std::size_t> position(spec.tokens);
  for (const int label : instance.y) {
    Matrix<Rational> tokens(spec.tokens, spec.dim);
    std::iota(position.begin(), position.end(), std::size_t{0});
    for (std::size_t k = 0; k < spec.tokens; ++k) {
      std::swap(position[k], position[k + random.below(spec.tokens - k)]);
      if (k < signal) {
        tokens(position[k], label > 0 ? 0 : 1) = spec.strength;
        continue;
      }
      const auto token = noisy_token(spec, 2 + random.below(spec.nuisances), random);
      for (std::size_t j = 0; j < spec.dim; ++j) tokens(position[k], j) = token[j];
    }
    if (spec.rotate) {
      first.apply(tokens);
      second.apply(tokens);
    }
    instance.X.push_back(std::move(tokens));
  }
  return instance;
}

}  // namespace heed
