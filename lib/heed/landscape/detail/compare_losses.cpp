// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/assemble.hpp"

namespace heed::detail {
namespace {

Ternary all_of(Ternary a, Ternary b) {
  if (certainly_not(a) || certainly_not(b)) return Ternary::certainly_false;
  return certainly(a) && certainly(b) ? Ternary::certainly_true : Ternary::unknown;
}

Ternary any_of(Ternary a, Ternary b) {
  if (certainly(a) || certainly(b)) return Ternary::certainly_true;
  return certainly_not(a) && certainly_not(b) ? Ternary::certainly_false : Ternary::unknown;
}

// The loss at minimum k is at most that at any other, and at most both limits.
Ternary is_least(const TokenSums& sums, const Landscape1d& result, std::size_t k) {
  const Ball& loss = result.points[k].loss;
  Ternary least =
      all_of(less_equal(loss, Ball(result.loss_minus)), less_equal(loss, Ball(result.loss_plus)));
  // A reflection exchanges the points of a complete list, from left to right.
  const bool paired = sums.centre.has_value() && result.places.empty();
  for (std::size_t j = 0; j < result.points.size(); ++j) {
    if (j == k || !result.points[j].is_minimum()) continue;
    if (paired && j + k + 1 == result.points.size()) continue;
    least = all_of(least, less_equal(loss, result.points[j].loss));
  }
  return least;
}

// A place may hide values that no listed point has; its losses are not looked at.
Ternary without_places(const Landscape1d& result, Ternary t) {
  return certainly(t) && !result.places.empty() ? Ternary::unknown : t;
}

}  // namespace

void compare_losses(const TokenSums& sums, Landscape1d& result) {
  result.infimum = min(Ball(result.loss_minus), Ball(result.loss_plus));
  bool zero = false;
  for (const CriticalPoint& p : result.points) {
    result.infimum =
        p.loss.is_finite() ? min(result.infimum, p.loss) : Ball::hull(Ball(), result.infimum);
    zero = zero || p.kind == CriticalKind::global_minimum;
  }
  if (!result.places.empty()) result.infimum = Ball::hull(Ball(), result.infimum);
  Ternary attained = Ternary::certainly_false;
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    CriticalPoint& p = result.points[k];
    if (p.kind == CriticalKind::global_minimum)
      p.global = Ternary::certainly_true;
    else if (zero || p.kind != CriticalKind::local_minimum)
      p.global = Ternary::certainly_false;
    else
      p.global = without_places(result, is_least(sums, result, k));
    attained = any_of(attained, p.global);
  }
  if (!result.places.empty() && !certainly(attained)) attained = Ternary::unknown;
  result.attained = attained;
}

}  // namespace heed::detail
