// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/ntk_margin.hpp"
#include "heed/theory/budget.hpp"

namespace heed {

/// NTK margin of an instance, with what it took.
struct NtkEnclosure {
  NtkMargin margin;
  int bits = 0;               ///< precision of the last kernel
  bool budget_ended = false;  ///< gamma has fewer digits than the budget asks for
};

/// Encloses the NTK margin (margin/ntk_margin.hpp): exactly where the features are rational, else from
/// kernels at rising precision until upper - lower <= 10^-digits gamma or the budget ends.
///
/// `separable()` is proved, `not_separable()` is proved; where neither holds only gamma <= upper is known.
/// A margin of 0 that cannot be proved ends at budget.zero_bits with upper <= 10^-digits, budget_ended
/// unset.
/// Precondition: the instance has weights. Note: proofs-notes/ntk_margin.md.
NtkEnclosure enclose_ntk_margin(const MhaInstance& instance, const Budget& budget);

}  // namespace heed
