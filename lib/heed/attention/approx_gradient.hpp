// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/instance.hpp"

namespace heed::approx {

/// grad L in double, of length P, at the inputs rounded to double. No error bound.
/// Precondition: the instance has weights.
std::vector<double> gradient(const MhaInstance& instance);

}  // namespace heed::approx
