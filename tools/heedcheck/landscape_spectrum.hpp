// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_matrix.hpp"

namespace heedcheck {

// least |x|^2 <= x^T S x <= most |x|^2 for every symmetric matrix S in an interval matrix.
struct SpectrumBounds {
  mpq_class least, most;
};

// Section 7.5, S: by bisection with pivots of the middle, and the spectral radius of the radii.
SpectrumBounds spectrum_bounds(const IntervalMatrix& H);

}  // namespace heedcheck
