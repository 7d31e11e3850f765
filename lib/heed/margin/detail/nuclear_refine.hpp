// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/detail/exact_rows.hpp"
#include "heed/margin/detail/nuclear_solution.hpp"

namespace heed::detail {

/// A candidate with integer entries: V / unit and l 2^-bits, both for the scaled problem.
struct FixedPoint {
  IntegerMatrix V;  ///< (p + q) x r
  IntegerMatrix l;  ///< m x 1
  Integer unit;
  long bits = 0;
};

/// The candidate rounded to multiples of 2^-bits.
FixedPoint round_candidate(const NuclearCandidate& candidate, long bits);

/// Newton steps with exact residuals and the double factorisation of the candidate, until the
/// residual is about 2^-bits or no longer falls. Returns log2 of the last residual.
/// Precondition: candidate.newton is not null.
long refine(const ExactRows& rows, const NuclearCandidate& candidate, FixedPoint& x);

}  // namespace heed::detail
