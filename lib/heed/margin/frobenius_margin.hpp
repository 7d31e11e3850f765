// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "heed/margin/margin_certificate.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed {

/// The problem has no inequalities: W = 0, margin +infinity.
struct NoConstraints {};

/// Neither a bracket nor a proof of infeasibility was found within what was allowed.
struct MarginUndecided {
  std::string reason;
};

/// What is proved about min ||W||_F^2 of a MarginProblem. Every alternative but the last is a proof
/// that can be re-checked from its numbers alone.
struct FrobeniusMargin {
  std::variant<MarginBracket, Infeasibility, NoConstraints, MarginUndecided> result;
  std::string method;               ///< how the rows in use were found, for reports
  std::vector<std::size_t> active;  ///< inequalities with a positive multiplier

  /// True if the optimum is known exactly: a bracket with lo = hi.
  bool exact() const {
    const MarginBracket* bracket = std::get_if<MarginBracket>(&result);
    return bracket != nullptr && bracket->lo == bracket->hi;
  }
};

}  // namespace heed
