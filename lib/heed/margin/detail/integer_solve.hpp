// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <optional>
#include <vector>

#include "heed/linalg/detail/integer_matrix.hpp"

namespace heed::detail {

/// numerators / den, den > 0 as small as possible.
struct RationalVector {
  std::vector<Integer> numerators;
  Integer den;
};

/// Solves A x = b (b: n x 1) over the rationals; nothing if A is singular.
///
/// FLINT's p-adic lifting; the common denominator is reconstructed from few components and tried on
/// the others, which is several times faster than one reconstruction each.
std::optional<RationalVector> solve(const IntegerMatrix& A, const IntegerMatrix& b);

}  // namespace heed::detail
