// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace heed::approx::detail {

/// The constants of proofs-notes/gradient_enclosure.md.

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double half_unit = 0x1p-53;
inline constexpr double underflow = 0x1p-600;
/// Inputs may be off by 2^-52 of this part of the largest entry beside them.
inline constexpr double input_floor = 0x1p-60;
inline constexpr double up = 1 + 0x1p-20;  // covers the rounding errors of the radii themselves

inline double gamma(std::size_t k) {
  const double ku = static_cast<double>(k) * half_unit;
  return up * ku / (1 - ku);
}

inline double norm_bound(const double* x, std::size_t n, std::size_t stride = 1) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += x[k * stride] * x[k * stride];
  return up * std::sqrt(sum) + underflow;
}

inline double largest_entry(const double* x, std::size_t n) {
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::fabs(x[k]));
  return up * largest + underflow;
}

}  // namespace heed::approx::detail
