// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/data/instance.hpp"

namespace heed::test {

/// The fixtures of the model in HEED_TEST_DATA, sorted, without the trajectory.
std::vector<std::string> mha_fixtures();

/// The instance with every number rounded to the nearest double.
MhaInstance rounded_to_double(MhaInstance instance);

/// Random inputs that are hard for an implementation in double.
enum class Hard {
  nothing,
  saturated,       ///< gaps between logits up to some 800
  near,            ///< all tokens of a sample equal up to 1e-7
  near_saturated,  ///< some tokens equal up to 1e-7, large logits
  duplicates,      ///< equal tokens
  ties,            ///< entries -1, 0, 1: equal logits, exact cancellation
  zeros,           ///< zero tokens
  norms,           ///< tokens of norm 1e-60 to 1e60 with weights to match
  one_hot,         ///< orthogonal tokens, large logits
  count
};

/// Instance of doubles; ragged, and with T = 1, d = 1, H = 1 or n = 1 every few seeds.
MhaInstance random_instance(Hard kind, std::uint64_t seed);

struct Shape {
  std::size_t n, T, d, H;
};
/// The same of a given shape; the first sample has T tokens, the others may have fewer.
MhaInstance random_instance(Hard kind, std::uint64_t seed, const Shape& shape);

std::vector<double> random_vector(std::size_t size, std::uint64_t seed);

/// For every entry of grad L the sum of the magnitudes of the terms of its pairwise form
///   U: sum_i |l'_i| sum_s a_s |x_s|     W: sum_i |l'_i| sum_t |x_t| sum_s a_s |v|_s |x|_s
/// where |v|_s = sum_r a_r |u_t| . |x_s - x_r| and |x|_s = sum_r a_r |x_s - x_r|.
std::vector<double> gradient_magnitudes(const MhaModel<Ball>& model);

/// Largest magnitude sum, of the terms of one logit gap or one Phi(X_i): 2^-53 times it is what
/// rounding does to a relative factor e^gap or e^margin.
double exponent_magnitude(const MhaModel<Ball>& model);

}  // namespace heed::test
