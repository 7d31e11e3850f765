// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/kernel_instance.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// The loss of one token as a function of its query alone, for one head and keys, queries and
/// outputs of dimension 1:
///
///     phi(q) = sum_b S_b(q) P_b,   g(q) = (phi(q) - y)^2 / 2
///
///     softmax              S_b = e^{beta q k_b} / sum_l e^{beta q k_l}
///     gaussian             S_b = e^{-beta (q - k_b)^2 / 2}
///     gaussian_over_n      the same divided by the number of keys
///     gaussian_normalised  the same divided by its sum
///
/// Precondition of everything that takes one: as many values as keys, at least one.
struct TokenProblem {
  std::vector<Rational> keys, values;
  Rational target;
  KernelBeta beta;
  AttentionKernel kernel = AttentionKernel::softmax;
};

/// beta as a number.
Ball enclose(const KernelBeta& beta);

/// phi - y and the first derivatives of phi.
struct TokenValue {
  Ball phi, residual, first, second;
  Ball loss() const;  ///< g = (phi - y)^2 / 2
};

/// Encloses phi(q) - y, phi'(q) and phi''(q) for every q of a ball.
///
/// Forms without cancellation: gaussian by q - k_b; normalised kernels by
/// S_b = 1 / sum_l e^{beta (k_l - k_b) q}, phi' = beta sum_{b<l} S_b S_l (P_b - P_l)(k_b - k_l) and
/// phi'' = beta^2 sum_b S_b (P_b - phi)(k_b - E k)^2 with centred differences of keys and values.
/// Not guaranteed: width; on a wide ball the bounds are loose, but finite wherever phi' is bounded.
/// Errors: std::invalid_argument for a problem without keys or with another number of values.
/// Cost: n exponentials (gaussian), n^2 (normalised). Note: proofs-notes/landscape_1d.md.
TokenValue evaluate(const TokenProblem& problem, const Ball& q);

}  // namespace heed
