// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace heedcert {

/// Of the values that are finite; NaN where there are too few. The median counts diverged runs as
/// infinite.
struct Summary {
  double mean, deviation, median;
  std::size_t diverged;
};
Summary summarise(std::vector<double> values);

}  // namespace heedcert
