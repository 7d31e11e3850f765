// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/data/instance.hpp"

namespace heed::test {

/// Phi is a sum of terms of size 1e8 that cancel, so that l' and l'' are known to 1e-9 only and all else
/// to 1e-14. Tokens have norm 1e16 and differ by 10 `length`. Of hess L the blocks dominate for
/// length = 10000, J^T J for length = 1.
MhaInstance uncertain_slope(Loss loss, std::size_t samples, long length);

/// Logits are sums of terms of size 1e8 that cancel; U = 0, so that of the blocks only M is not 0, and tokens
/// of norm 1e6, so that M dwarfs J^T J.
MhaInstance uncertain_weights();

}  // namespace heed::test
