// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/linalg/matrix.hpp"

namespace heedcert {

struct HeatPanel {
  std::string title;
  heed::Matrix<double>
      values;  ///< positive; values(i, j) at the i-th column from the left, j-th row
               ///< from below
};

/// Panels side by side on one logarithmic scale of colours, with its legend, as an SVG file that needs
/// nothing else. Values that are not positive and finite are left blank.
std::string heat_map(const std::vector<HeatPanel>& panels, const std::string& caption);

}  // namespace heedcert
