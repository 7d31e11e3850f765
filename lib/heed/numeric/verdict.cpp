// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/verdict.hpp"

namespace heed {

const char* to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::proved:
      return "proved";
    case VerdictKind::refuted:
      return "refuted";
    case VerdictKind::undecided:
      return "undecided";
    case VerdictKind::not_applicable:
      return "not_applicable";
  }
  return "undecided";
}

Verdict compare(const Ball& lhs, const Ball& rhs) {
  Verdict v;
  v.bits = working_precision();
  const Ternary holds = less_equal(lhs, rhs);
  if (!lhs.is_finite() || !rhs.is_finite()) {
    // An infinite end is a bound that could not be computed, not a number to compare with.
    v.reason = "an enclosure is not finite at " + std::to_string(v.bits) + " bits";
  } else if (certainly(holds)) {
    v.kind = VerdictKind::proved;
  } else if (certainly_not(holds)) {
    v.kind = VerdictKind::refuted;
  } else {
    v.reason = "enclosures overlap at " + std::to_string(v.bits) + " bits";
  }
  return v;
}

bool agree_to_digits(const Ball& lhs, const Ball& rhs, int digits) {
  if (!lhs.is_finite() || !rhs.is_finite()) return false;
  const Ball scaled = abs(lhs - rhs) * power_of_ten(digits);
  return certainly(less_equal(scaled, max(abs(lhs), abs(rhs))));
}

int agreeing_digits(const Ball& lhs, const Ball& rhs, int limit) {
  int low = 0, high = limit + 1;
  while (high - low > 1) {
    const int mid = low + (high - low) / 2;
    (agree_to_digits(lhs, rhs, mid) ? low : high) = mid;
  }
  return low;
}

}  // namespace heed
