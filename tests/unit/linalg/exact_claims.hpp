// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/fast_inertia.hpp"
#include "unit/linalg/exact_inertia.hpp"

namespace heed::test {

/// Both ends of an interval for the least (else the largest) eigenvalue of `a` hold, by exact counts;
/// an infinite end is true by itself.
inline bool ends_hold(const FastEigenvalue& r, const Matrix<Rational>& a, bool least) {
  if (!(r.lower <= r.upper)) return false;
  if (std::isfinite(r.lower)) {
    const Inertia c = exact_inertia(a, Rational(r.lower));
    if (least ? c.negative > 0 : c.zero + c.positive == 0) return false;
  }
  if (std::isfinite(r.upper)) {
    const Inertia c = exact_inertia(a, Rational(r.upper));
    if (least ? c.negative + c.zero == 0 : c.positive > 0) return false;
  }
  return true;
}

/// The two inequalities of InertiaCount, by exact counts of the unscaled matrix. Nothing is claimed
/// where an error is not finite.
inline bool count_holds(const InertiaCount& c, const Matrix<Rational>& dense, int exponent) {
  const Rational unit = Rational::power_of_two(exponent), s = Rational(c.shift) * unit;
  if (std::isfinite(c.lower_error)) {
    const Inertia low = exact_inertia(dense, s - Rational(c.lower_error) * unit);
    if (low.negative > c.below) return false;
  }
  if (std::isfinite(c.upper_error)) {
    const Inertia high = exact_inertia(dense, s + Rational(c.upper_error) * unit);
    if (high.negative + high.zero < c.below) return false;
  }
  return true;
}

}  // namespace heed::test
