// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heed/data/generate_kernel.hpp"
#include "heed/train/gradient_descent.hpp"
#include "heed/train/value_descent.hpp"

namespace heed::approx {

/// The reference experiments on training kernel attention (docs/experiments.md): data, first weights
/// and order of draws are fixed by the seed number, counted from 0.

/// E3, E4 and E5, E6: all blocks trained on f / N from N(0, 1/D) weights, d = d_v = 8, H = 2, p = 1,
/// beta = 1/sqrt(8).
enum class LayerTask {
  regression,  ///< N = n = 4, D = 16, token read-out, random targets (data of seed 4000 + k)
  token_task,  ///< N = 32, n = 12, D = 16, pooled (5000 + k); 128 more samples for testing
  pathfinder   ///< N = 32, n = 9, D = 13, pooled (6000 + k); 128 more samples for testing
};

struct LayerProblem {
  KernelInstance training;
  std::optional<KernelInstance> testing;
};
/// Weights of seed 7000 + k.
LayerProblem layer_problem(LayerTask task, std::uint64_t seed_number);

struct LayerRun {
  DescentRun descent;
  std::optional<double> test_accuracy;  ///< share of right signs; absent if the run diverged
};
/// `options.mean_loss` is set.
LayerRun run_layer(const LayerProblem& problem, AttentionKernel kernel, DescentOptions options);

/// E1: W_V alone, N = 3, n = 4, D = N n, d = 8, d_v = 4, p = 2, H = 2, all numbers of seed 2000 + k.
KernelInstance value_problem(std::uint64_t seed_number);

/// E2: W_Q alone, ten separate tokens in two samples of five (D = 10, X = [I_5 0] and [0 I_5]), p = 1,
/// beta = 1; keys, teacher's queries and first queries N(0, 4/d), values N(0, 1) of seed 3000 + k. The
/// targets are the outputs at the teacher's queries, so the least loss is 0.
KernelInstance query_problem(AttentionKernel kernel, std::size_t key_dim,
                             std::uint64_t seed_number);

/// The residuals F_i - Y_i of a model, one after the other.
std::vector<double> residuals(const FastKernel& model, const KernelInputs<double>& inputs);

}  // namespace heed::approx
