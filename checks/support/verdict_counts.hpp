// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include "heed/theory/verify.hpp"

namespace heed::checks {

/// What `verify` said over many instances.
///
/// A rung counts as clear if lhs <= (1 - 1e-6) rhs by the midpoints of its worst item, or if its
/// enclosures are so wide that the ratio is not known; identically 0 <= 0 and cases that verify calls
/// equal are not clear. Clear rungs must be proved.
class VerdictCounts {
 public:
  void add(const VerifyReport& report);
  /// Table of counts, reasons of the clear rungs that are not proved.
  void print(std::ostream& out) const;
  /// None refuted, no identity inconsistent, at least 99.9 % of the clear rungs proved.
  bool acceptable() const;

 private:
  double clear_share() const;

  long instances_ = 0, rungs_ = 0, proved_ = 0, equality_ = 0, undecided_ = 0, not_applicable_ = 0,
       refuted_ = 0, clear_ = 0, clear_proved_ = 0, identities_ = 0, inconsistent_ = 0;
  std::map<std::string, long> clear_not_proved_, equalities_, other_undecided_;
  std::map<int, long> bits_;
};

}  // namespace heed::checks
