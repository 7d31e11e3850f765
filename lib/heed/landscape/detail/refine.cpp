// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/isolate.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::detail {
namespace {

bool is_fine(const IsolatedZero& zero, int bits) {
  const Ball width = zero.hi - zero.lo;
  if (certainly(less_equal(width, ldexp(Ball(1), -2L * bits)))) return true;
  const Ball size = min(abs(zero.lo), abs(zero.hi));
  const bool apart = certainly(positive(zero.lo)) || certainly(negative(zero.hi));
  return apart && certainly(less_equal(width, ldexp(size, -bits)));
}

// One interval Newton step; false if the slope may vanish.
bool newton(const PreparedSum& sum, IsolatedZero& zero) {
  const Ball middle = split_point(zero.lo, zero.hi, 0.5);
  const std::size_t reference = sum.reference(middle);
  const Range slope = sum.ranges(zero.lo, zero.hi, reference, 1)[1];
  if (slope.sign() == 0) return false;
  const Ball step = sum.value(middle, reference) / Ball::hull(slope.lo, slope.hi);
  const Ball next = middle - step;
  if (!next.is_finite()) return false;
  const Ball lo = next.lower(), hi = next.upper();
  if (certainly(less(zero.lo, lo))) zero.lo = lo;
  if (certainly(less(hi, zero.hi))) zero.hi = hi;
  return true;
}

// Halves the interval by the sign at a point; false if no sign is decided.
bool bisect(const PreparedSum& sum, IsolatedZero& zero) {
  for (const double fraction : {0.5, 0.4412, 0.5617}) {
    const Ball at = split_point(zero.lo, zero.hi, fraction);
    if (!certainly(less(zero.lo, at)) || !certainly(less(at, zero.hi))) return false;
    if (const int sign = sum.sign(at)) {
      (sign == zero.sign_left ? zero.lo : zero.hi) = at;
      return true;
    }
  }
  return false;
}

bool narrowed(const Ball& before, const IsolatedZero& zero) {
  return certainly(less_equal(zero.hi - zero.lo, ldexp(before, -1)));
}

}  // namespace

bool refine(const ExpSum& sum, IsolatedZero& zero, int bits) {
  constexpr int most_steps = 4000;
  for (int precision = 2 * bits + 64; precision <= 16 * bits + 512; precision *= 2) {
    const PrecisionScope scope(precision);
    const PreparedSum prepared(sum);
    for (int step = 0; step < most_steps; ++step) {
      if (is_fine(zero, bits)) return true;
      const Ball width = zero.hi - zero.lo;
      if (newton(prepared, zero) && narrowed(width, zero)) continue;
      if (!bisect(prepared, zero)) break;
    }
  }
  return is_fine(zero, bits);
}

}  // namespace heed::detail
