// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/precision.hpp"

#include <stdexcept>

namespace heed {
namespace {
thread_local int current_bits = 128;
}

int working_precision() noexcept { return current_bits; }

PrecisionScope::PrecisionScope(int bits) : previous_(current_bits) {
  if (bits < 2 || bits > 1'000'000)
    throw std::invalid_argument("working precision must lie in 2..1000000 bits");
  current_bits = bits;
}

PrecisionScope::~PrecisionScope() { current_bits = previous_; }

}  // namespace heed
