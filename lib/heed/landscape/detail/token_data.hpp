// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/data/kernel_instance.hpp"

namespace heed::detail {

/// Exact matrices of one instance.

/// X_i W_K^h, X_i W_Q^h: n x d.
Matrix<Rational> keys_of(const KernelInstance& instance, std::size_t sample, std::size_t head);
Matrix<Rational> queries_of(const KernelInstance& instance, std::size_t sample, std::size_t head);
/// X_i W_V^h W_O^h: n x p.
Matrix<Rational> values_of(const KernelInstance& instance, std::size_t sample, std::size_t head);
/// All tokens, N n x D.
Matrix<Rational> stacked_tokens(const KernelInstance& instance);

bool is_token_readout(const KernelInstance& instance);
bool has_orthonormal_tokens(const KernelInstance& instance);
/// The read-out is not I, or the tokens are dependent: which; empty if f splits over tokens.
std::string coupling(const KernelInstance& instance);

}  // namespace heed::detail
