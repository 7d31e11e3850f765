// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "heed/margin/detail/exact_rows.hpp"
#include "heed/margin/detail/nuclear_refine.hpp"
#include "heed/margin/margin_certificate.hpp"

namespace heed::detail {

/// The bracket that theorem T2 proves from a candidate: negative multipliers of inequalities are
/// replaced by 0, B is moved to meet the equalities exactly, lo and hi are rounded outward to about
/// `bits` bits. Nothing if no upper bound follows (some <A_k, W> <= 0).
std::optional<MarginBracket> certify(const MarginProblem& problem, const ScaledRows& scaled,
                                     const ExactRows& rows, FixedPoint x, long bits);

}  // namespace heed::detail
