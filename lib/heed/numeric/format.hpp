// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/numeric/ball.hpp"

namespace heed {

/// Decimal strings with lo <= x <= hi for every x in the ball ("-inf", "inf" for a non-finite one).
struct DecimalInterval {
  std::string lo, hi;
};

/// Outward rounding to `digits` significant digits; 0 chooses as many as the ball certifies plus four.
DecimalInterval decimal_interval(const Ball& x, int digits = 0);

/// Every digit printed is certain: `-0.21719348[2,7]` (the next digit lies between the two in
/// brackets), `0.1 +/- 2e-39` next to a round number, `0.25` for an exact value, and
/// `[-1e-20, 2e-20]` when no digit is certain.
/// At most `max_digits` significant digits.
std::string certain_digits(const Ball& x, int max_digits = 15);

/// A few digits of the midpoint, for approximate columns such as a ratio.
std::string approx_digits(const Ball& x, int digits = 4);

}  // namespace heed
