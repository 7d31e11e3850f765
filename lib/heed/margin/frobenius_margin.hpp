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

enum class Exactness { automatic, always, never };

struct FrobeniusOptions {
  Exactness exact = Exactness::automatic;
  /// `automatic` is exact up to so many rows in use of data in double, and up to as much work for
  /// other data (s rows with Gram matrix entries of h bits count as s (h / 264)^(2/3) rows).
  std::size_t max_active_exact = 300;
  /// Relative width 2^-bits of an enclosure that is not exact; see frobenius_bracket.
  int bits = 64;
};

/// min ||W||_F^2 of a max-margin problem, proved: exact_frobenius where that is affordable, else
/// frobenius_bracket. The margin is 1 / ||W||_F.
///
/// `never` still returns exact proofs of infeasibility, of problems within max_active_exact.
/// Errors: std::invalid_argument for bits outside 8..20 000.
FrobeniusMargin frobenius_margin(const MarginProblem& problem,
                                 const FrobeniusOptions& options = {});

}  // namespace heed
