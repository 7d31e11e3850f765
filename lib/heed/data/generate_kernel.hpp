// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heed/data/kernel_instance.hpp"
#include "heed/data/splitmix.hpp"

namespace heed {

/// Tokens and targets: X[i]: n x D, Y[i]: m x p.
struct KernelData {
  std::vector<Matrix<double>> X, Y;
};

/// A stand-in for the classification of texts. Vocabulary of 20 words: 0..3 positive, 4..7 negative,
/// 8 the negation, 9..19 neutral; the vector of a word has entries +-2/sqrt(D). A sample has three
/// words of sentiment, the negation with probability 1/2 and neutral words up to n, shuffled; its
/// label is the sign of the sentiment, turned by the negation. m = p = 1.
/// Errors: InputError for samples = 0, tokens < 4, dim = 0, or too many numbers.
KernelData token_task(std::uint64_t seed, std::size_t samples, std::size_t tokens = 12,
                      std::size_t dim = 16);

/// Pathfinder in miniature. On a grid of 6 x 6 cells lie two curves of 5 cells that do not touch
/// (value 1); two of their ends are marked (value 2): both ends of one curve (label 1), or one end
/// of each (label -1). Tokens are the nine patches of 2 x 2 cells: the four cells and the place of the
/// patch as a unit vector. n = 9, D = 13, m = p = 1.
/// Errors: InputError for samples = 0 or too many numbers.
KernelData pathfinder(std::uint64_t seed, std::size_t samples);

/// All tokens, then all targets (m x p), entries N(0, 1).
KernelData normal_data(SplitMix64& stream, std::size_t samples, std::size_t tokens, std::size_t dim,
                       std::size_t rows, std::size_t outputs);

/// Shape of the weights of a layer.
struct KernelShape {
  std::size_t dim = 16, key_dim = 8, value_dim = 8, outputs = 1, heads = 2;
};

/// Entries N(0, 1/D) of W_Q, W_K and W_V, N(0, 1/d_v) of W_O, drawn in this order, head by head.
KernelWeights<double> normal_weights(SplitMix64& stream, const KernelShape& shape);

/// The instance with these numbers, exactly.
KernelInstance kernel_instance(const KernelData& data, const KernelWeights<double>& weights,
                               Matrix<Rational> readout, const KernelBeta& beta);

/// What to generate: data of a kind with weights from `normal_weights`, beta = 1/sqrt(d), pooled
/// read-out of m = 1 row for the two tasks, token read-out for normal data.
struct KernelSpec {
  enum class Data { token_task, pathfinder, normal };
  Data data = Data::token_task;
  std::size_t samples = 32;
  std::size_t tokens = 12;
  KernelShape shape;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> weight_seed;  ///< absent: seed + 2^32
};

/// Errors: InputError that names the parameter: sizes that are 0, too large, or not those of the
/// task (pathfinder: 9 tokens of dimension 13; the tasks: one output).
KernelInstance generate_kernel(const KernelSpec& spec);

}  // namespace heed
