// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "heed/margin/detail/exact_rows.hpp"
#include "heed/margin/detail/nuclear_refine.hpp"
#include "heed/margin/margin_certificate.hpp"

namespace heed::detail {

/// The interior point method alone, with 50, 100 or 200 digits, until the gap is about 10^-digits:
/// a candidate that needs neither a rank nor active rows, for problems where these are not clear
/// cut.
/// `bits` as in FixedPoint. Nothing if `digits` or the size of the problem is out of reach.
std::optional<FixedPoint> careful_candidate(const MarginProblem& problem, const ScaledRows& scaled,
                                            int digits, long bits);

/// The solution of the Frobenius norm as a candidate, W = W I: proves min ||W||_* within a factor
/// of about min(p, q) whenever the multipliers are exact. `bits` as in FixedPoint.
FixedPoint frobenius_candidate(const MarginProblem& problem, const ScaledRows& scaled,
                               const MarginBracket& exact, long bits);

}  // namespace heed::detail
