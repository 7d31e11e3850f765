// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/data/kernel_instance.hpp"

namespace heed::approx {

/// The loss g(q) = (phi(q) - y)^2 / 2 of one token whose query is a number: keys k_b, values P_b,
///
///     phi(q) = sum_b exp(q k_b) P_b / sum_b exp(q k_b)    softmax
///     phi(q) = sum_b exp(-(q - k_b)^2 / 2) P_b            gaussian
struct TokenLoss {
  std::vector<double> keys, values;
  double target = 0;
  AttentionKernel kernel = AttentionKernel::softmax;

  double value(double query) const;
  double slope(double query) const;
};

/// The loss of a token of a named instance with separate tokens (SM1, GA1, PAIR, VAL3, FOUR).
/// Errors: std::invalid_argument for an instance of other shape, with several targets, with beta other
/// than 1, or for another kernel than softmax and gaussian.
TokenLoss token_loss(const KernelInstance& instance, AttentionKernel kernel);

/// g at the last of `evaluations` points of gradient descent with this step, for every start.
/// Precondition: evaluations > 0.
std::vector<double> descend_token(const TokenLoss& token, const std::vector<double>& starts,
                                  double step, std::size_t evaluations);

}  // namespace heed::approx
