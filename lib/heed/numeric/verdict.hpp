// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/numeric/ball.hpp"

namespace heed {

/// proved: hypotheses proved and lhs.hi <= rhs.lo.      refuted: hypotheses proved and lhs.lo > rhs.hi.
/// undecided: the enclosures still overlap; the reason says why and the bits how far it was tried.
/// not_applicable: a hypothesis could not be proved; the reason says which.
enum class VerdictKind { proved, refuted, undecided, not_applicable };

/// Never a bool, so that a NaN or a forgotten case cannot read as success.
struct Verdict {
  VerdictKind kind = VerdictKind::undecided;
  std::string reason;
  int bits = 0;           ///< working precision of the decision
  bool equality = false;  ///< undecided because both sides agree to all digits tried
};

/// `proved`, `refuted`, `undecided`, `not_applicable`.
const char* to_string(VerdictKind kind);

/// Decides lhs <= rhs from enclosures alone: proved, refuted or undecided at the working precision.
Verdict compare(const Ball& lhs, const Ball& rhs);

/// True if |lhs - rhs| <= 10^-digits max(|lhs|, |rhs|) for every pair of points.
bool agree_to_digits(const Ball& lhs, const Ball& rhs, int digits);

/// Largest k <= limit with agree_to_digits(lhs, rhs, k); 0 if none.
int agreeing_digits(const Ball& lhs, const Ball& rhs, int limit);

}  // namespace heed
