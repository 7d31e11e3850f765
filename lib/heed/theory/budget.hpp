// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "heed/numeric/ball.hpp"

namespace heed {

/// How far an evaluation may go: first in DoubleBall if `double_tier` says so, then in Ball at `start_bits`,
/// doubled until everything is settled.
struct Budget {
  int digits = 15;          ///< relative width aimed at: 10^-digits
  bool double_tier = true;  ///< try DoubleBall first; counts as double_bits of precision
  int start_bits = 128;
  int max_bits = 8192;
  /// From this precision on, a value that is lost_in_zero is accepted as it is.
  int zero_bits = 1024;
  double seconds = 0;  ///< no further precision is begun after this time; 0: no limit
  std::function<void(int bits)> on_precision;  ///< told of every precision that is begun
};

/// Precision of a double, the `bits` of what is settled in DoubleBall.
inline constexpr int double_bits = 53;

/// First precision of balls tried: start_bits, doubled until the digits can be resolved.
int first_precision(const Budget& budget);

/// True if x is finite and not even its size is known: it contains 0, or 2 rad > |mid|. So is the
/// exponential of a number beyond -2^30, which Arb encloses from 0 upwards at every precision.
bool lost_in_zero(const Ball& x);

/// True if x needs no further precision: exact, or 2 rad <= 10^-(digits+1) |mid|, or lost in 0 at
/// `zero_bits` or more with 2 rad <= 10^-(digits+1).
bool has_digits(const Ball& x, const Budget& budget);

/// Calls step() at the working precisions first_precision, then doubled, until it returns true.
/// Returns false if max_bits or the time ended first.
bool escalate(const Budget& budget, const std::function<bool()>& step);
/// The same after double_step() at a working precision of double_bits, if budget.double_tier.
bool escalate(const Budget& budget, const std::function<bool()>& double_step,
              const std::function<bool()>& step);

}  // namespace heed
