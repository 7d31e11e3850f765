// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checks/support/instances.hpp"
#include "heed/data/kernel_instance.hpp"

namespace heed::checks {

/// An instance of kernel attention and the words that say how it was made.
struct DrawnKernel {
  KernelInstance instance;
  std::vector<std::string> tags;
};

/// An instance of kernel attention that names its kernel, of all kinds of numbers and with the
/// structures at which formulas break: equal tokens and samples, one token, W_Q = 0, W_K = 0, W_Q = W_K,
/// W_V = W_O = 0, one W_O for all heads, a bias coordinate, more outputs than tokens, saturated scores,
/// queries that meet keys, tiny and large beta, targets that are attained, more parameters than
/// residuals and fewer. See the tags.
DrawnKernel draw_kernel_instance(Source& source, const SizeLimit& limit);

/// Bound of the scores beta |q_a . k_b| and beta |q_a - k_b|^2, exactly up to beta's root.
Rational largest_score(const KernelInstance& instance);

/// All numbers 0 or of magnitude 2^-12 .. 2^12, scores at most 60: results in double are then accurate
/// up to cancellation.
bool is_tame(const KernelInstance& instance);

/// A fixed direction without structure, entries in -9/8 .. 9/8.
KernelWeights<Rational> test_direction(const KernelInstance& instance);

/// Simpler instances of consistent shapes, the boldest first.
std::vector<KernelInstance> simpler_instances(const KernelInstance& instance);

}  // namespace heed::checks
