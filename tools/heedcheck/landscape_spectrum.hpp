// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_matrix.hpp"

namespace heedcheck {

// least |x|^2 <= x^T S x <= most |x|^2 for every symmetric matrix S in an interval matrix.
struct SpectrumBounds {
  mpq_class least, most;
};

// An upper bound of the spectral radius of a symmetric matrix of numbers >= 0 in units.
mpz_class spectral_radius(const Matrix<mpz_class>& radii);

// Section 7.5, S: by bisection with pivots of the middle, and the spectral radius of the radii.
SpectrumBounds spectrum_bounds(const IntervalMatrix& H);

}  // namespace heedcheck
