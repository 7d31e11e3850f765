// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/support/numbers.hpp"
#include "heed/data/instance.hpp"

namespace heed::checks {

/// What the parameters of an instance look like.
enum class WeightKind {
  generic,
  zero_U,
  zero_W,
  zero,       ///< U = W = 0
  repeated,   ///< all heads are the same
  one_step,   ///< U_h = s_h 1 ubar^T, W = 0: one gradient step from 0
  saturated,  ///< W scaled until the largest logit gap is 30 .. 800
  ties,       ///< W annihilates the difference of two tokens: exact ties of the attention
  low_rank,   ///< W_h of rank 1
  large_U     ///< U scaled by 10 .. 1e6
};

const char* to_string(WeightKind kind);
WeightKind draw_weight_kind(Source& source);
/// Gives the instance weights for `heads` heads.
void draw_weights(Source& source, WeightKind kind, NumberKind numbers, std::size_t heads,
                  MhaInstance& instance);

/// max |x_t^T W_h (x_s - x_r)| over samples and heads.
Rational largest_gap(const MhaInstance& instance);

}  // namespace heed::checks
