// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unit/numeric/itl.hpp"

namespace heed::test {

enum class ItlResult { run, not_offered, no_value };

struct ItlOutcome {
  ItlResult result = ItlResult::run;
  std::string complaint;  ///< what is wrong; empty if nothing is
};

/// Order, containment, ends, hull and sums of Ball on a case of one of these operations.
///
/// A ball of 30 radius bits may be wider than the interval it encloses. Answers that hold for the
/// wider ball hold for the interval, and that is demanded; where the ball is exactly the interval,
/// as it is for a single point, the answer has to be that of the standard.
ItlOutcome check_ball_predicate(const ItlCase& c);

}  // namespace heed::test
