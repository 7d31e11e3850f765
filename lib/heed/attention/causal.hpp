// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/data/query_instance.hpp"

namespace heed {

/// A sequence of tokens x_1..x_T, T x d, with a label for each position, or one for all.
struct CausalSequence {
  Matrix<Rational> X;
  std::vector<int> y;
};

/// Where an input of a causal instance comes from; position k (zero-based) sees the tokens 0..k.
struct CausalPosition {
  std::size_t sequence, position;

  friend bool operator==(const CausalPosition&, const CausalPosition&) = default;
};

/// The positions that `causal_instance` makes inputs of, in its order.
std::vector<CausalPosition> causal_positions(const std::vector<CausalSequence>& sequences,
                                             std::size_t first_position = 0);

/// Causal self-attention with a loss on every position, as query attention: position k of sequence i
/// becomes the input with tokens x_i0 .. x_ik, query z = x_ik and label y_ik, so that n is the number
/// of positions. Exact; all statements about query attention apply.
///
/// Position 0 has one token: it adds a constant to the loss and counts in n, but constrains
/// nothing. `first_position = 1` leaves it out. `selected` stays empty.
/// Errors: std::invalid_argument for sequences of different dimensions, without tokens, or whose
/// labels are not +-1, one or T of them, and if no position is left.
/// Source: proofs-notes/query_attention.md.
QueryInstance causal_instance(const std::vector<CausalSequence>& sequences,
                              std::optional<std::vector<Rational>> v,
                              std::size_t first_position = 0);

}  // namespace heed
