// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/token_zeros.hpp"

namespace heed::detail {
namespace {

void append(const ExpSum& sum, bool of_residual, const Landscape1dOptions& options,
            TokenZeros& result) {
  Isolation found = isolate_zeros(sum, options.width_bits, options.most_boxes);
  if (!found.gave_up.empty()) {
    result.gave_up = found.gave_up;
    return;
  }
  for (IsolatedZero& at : found.zeros) {
    const int left = at.sign_left;
    result.zeros.push_back(
        {sum, std::move(at), of_residual, 1, of_residual ? 0 : left, of_residual ? 0 : -left});
  }
  for (Ball& place : found.places) result.places.push_back(std::move(place));
}

// phi' vanishes at the centre of a symmetric problem exactly.
void pin_to_centre(const Rational& centre, TokenZero& zero) {
  if (!centre.is_dyadic()) return;
  const Ball point(centre);
  if (zero.of_residual || !certainly(less(zero.at.lo, point)) ||
      !certainly(less(point, zero.at.hi)))
    return;
  zero.at.lo = zero.at.hi = point;
}

}  // namespace

TokenZeros zeros_by_intervals(const TokenSums& sums, const Landscape1dOptions& options) {
  TokenZeros result;
  append(sums.residual, true, options, result);
  if (result.gave_up.empty()) append(sums.slope, false, options, result);
  if (sums.centre)
    for (TokenZero& zero : result.zeros) pin_to_centre(*sums.centre, zero);
  return result;
}

}  // namespace heed::detail
