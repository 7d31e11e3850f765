// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/detail/exp_sum.hpp"

namespace heed::detail {

/// Exact points lo <= hi between which a sum has exactly one zero, simple, with a change of sign.
struct IsolatedZero {
  Ball lo, hi;
  int sign_left = 0;  ///< sign of the sum just left of the zero

  Ball enclosure() const { return Ball::hull(lo, hi); }
};

/// All zeros of a sum on the line: each in one of `zeros`, or in one of `places`, where a multiple
/// zero could not be excluded. Both from left to right.
struct Isolation {
  std::vector<IsolatedZero> zeros;
  std::vector<Ball> places;
  std::string gave_up;  ///< not empty: the search did not end, and why; the rest means nothing
};

/// Interval Newton and bisection between two tail bounds; places are pieces narrower than
/// 2^-width_bits max(1, |q|) and their neighbours. Precondition: the sum is not empty.
Isolation isolate_zeros(const ExpSum& sum, int width_bits, long most_boxes);

/// Narrows [lo, hi] until hi - lo <= 2^-bits |q|, or hi - lo <= 2^(-2 bits).
/// False if rounding stopped it before, which leaves a valid wider interval.
bool refine(const ExpSum& sum, IsolatedZero& zero, int bits);

/// An exact point between a and b at about the given fraction of the way, with few bits.
Ball split_point(const Ball& a, const Ball& b, double fraction);

}  // namespace heed::detail
