// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "heed/data/instance.hpp"

namespace heed {

/// How labels are drawn: +1, -1, +1, ... or by a fair coin for each sample.
enum class Labels { balanced, coin };

/// The tokenized mixture DM1. With mu_+ = S e_1, mu_- = S e_2, nu_j = S e_{2+j} (j = 1..M):
/// a random set of zeta T positions holds mu_y; every other position holds nu_j + z with j uniform
/// in 1..M and z = sd N(0, I), shortened to norm <= clip. Hence ||x_t|| <= R = S + clip.
struct MixtureSpec {
  std::size_t samples = 8;
  std::size_t tokens = 4;
  std::size_t dim = 6;
  std::size_t nuisances = 2;
  Rational strength{1};
  /// Share of the positions that carry the signal; zeta T is an integer in 1..T-1.
  Rational zeta{1, 2};
  double noise_sd = 0;
  Rational clip{1};
  Labels labels = Labels::balanced;
  /// Apply one random orthogonal map with rational entries (a product of two reflections) to every
  /// token. Inner products stay exact; the entries are then fractions, which npz cannot hold.
  bool rotate = false;
  std::uint64_t seed = 1;
};

/// Tokens x_t = scale N(0, I), with labels that do not depend on them.
struct TokenSpec {
  std::size_t samples = 8;
  std::size_t tokens = 4;
  std::size_t dim = 4;
  double scale = 1;
  Labels labels = Labels::balanced;
  std::uint64_t seed = 1;
};

/// What `parse_weight_spec` reads: none | zero | gaussian:SD | one-step:ETA0.
struct WeightSpec {
  enum class Kind { none, zero, gaussian, one_step };
  Kind kind = Kind::none;
  double gaussian_sd = 0;
  Rational eta0{0};
};

/// Reads `none`, `zero`, `gaussian:0.5` or `one-step:6`. Throws InputError for anything else.
WeightSpec parse_weight_spec(const std::string& text);

/// Generators of instances without weights.
///
/// The same arguments give the same instance with the same release of Boost.Random (the generator
/// mt19937_64 is fixed; the normal distribution may change between releases of Boost). Noise-free
/// mixtures are exact. Every entry is a double, hence an exact dyadic number, except where
/// `strength` is not a double or `rotate` is set. The bound ||z|| <= clip holds exactly. `origin`
/// records the arguments.
///
/// Errors: InputError that names the parameter: sizes that are 0 or too large, zeta T not an
/// integer in 1..T-1, dim < nuisances + 2, nuisances = 0, strength <= 0, noise_sd or scale not
/// finite or negative, clip < 0.
MhaInstance generate_mixture(const MixtureSpec& spec);
MhaInstance generate_gaussian_tokens(const TokenSpec& spec);
/// Tokens of norm 1 up to rounding: x / ||x|| in double. Requires scale = 1.
MhaInstance generate_unit_tokens(const TokenSpec& spec);

/// Gives the instance weights for `heads` heads, replacing those it has.
///
/// zero: U = W = 0. gaussian: entries sd N(0, 1) of U and W, doubles.
/// one-step: one gradient step of size eta0 from zero with a random sign per head, in closed form:
///     U_h = s_h 1 ubar^T, W_h = 0, ubar = (1/n) sum_i y_i xbar_i, e_h = +-1 fair,
///     s_h = eta0 e_h / (2 sqrt H) for the logistic loss, eta0 e_h / sqrt H for the exponential
///     loss.
/// For ragged inputs row t of U_h uses the samples with more than t tokens. The numbers are exact
/// fractions; if H is not a square, 1/sqrt H is replaced by the double nearest to it and a note
/// says so. The stream depends on `seed` alone, not on how the tokens were made.
///
/// Errors: InputError if heads = 0 (unless none), or too many numbers are asked for.
void set_weights(MhaInstance& instance, const WeightSpec& spec, std::size_t heads,
                 std::uint64_t seed);

}  // namespace heed
