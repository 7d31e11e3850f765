// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/theory/identities.hpp"

namespace heed {

/// Collects differences that must be 0.
class IdentityCheck {
 public:
  IdentityCheck(std::string id, std::string statement) {
    result_.id = std::move(id);
    result_.statement = std::move(statement);
  }
  template <class S>
  void zero(const S& difference) {
    ++result_.comparisons;
    result_.deviation = max(result_.deviation, abs(to_ball(difference)).upper());
    if (difference.is_finite() && !difference.contains_zero()) failed_ = true;
    if (!difference.is_finite()) unknown_ = true;
  }
  template <class S>
  void equal(const std::vector<S>& a, const std::vector<S>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) zero(a[k] - b[k]);
  }
  IdentityResult result(const std::string& why_not_applicable) && {
    if (failed_) {
      result_.status = "inconsistent";
    } else if (result_.comparisons == 0 || unknown_) {
      result_.status = "not_applicable";
      result_.reason = unknown_ ? "a value is not finite at this precision" : why_not_applicable;
    } else {
      result_.status = "consistent";
    }
    return std::move(result_);
  }

 private:
  IdentityResult result_;
  bool failed_ = false, unknown_ = false;
};

}  // namespace heed
