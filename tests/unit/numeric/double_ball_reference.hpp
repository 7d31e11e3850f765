// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/numeric/double_ball.hpp"
#include "heed/numeric/rational.hpp"
#include "unit/numeric/random_input.hpp"

namespace heed::test {

inline Rational least_of(const DoubleBall& x) { return Rational(x.mid()) - Rational(x.rad()); }
inline Rational largest_of(const DoubleBall& x) { return Rational(x.mid()) + Rational(x.rad()); }

/// The point mid + rad k/4, exactly; |k| <= 4, x finite.
inline Rational point_of(const DoubleBall& x, long k) {
  return Rational(x.mid()) + Rational(x.rad()) * Rational(k, 4);
}

/// False if the reference, an enclosure of one number at a far higher precision, lies outside x.
inline bool surrounds(const DoubleBall& x, const Ball& reference) {
  if (!x.is_finite()) return true;
  return reference.is_finite() && !certainly(less(reference, Ball(least_of(x)))) &&
         !certainly(less(Ball(largest_of(x)), reference));
}

/// Midpoints of all magnitudes within 2^+-max_exponent, short ones, 0; radii of every kind.
inline DoubleBall random_double_ball(Random& random, long max_exponent) {
  const double mid = random.dyadic(max_exponent).nearest_double();
  switch (random.integer(0, 4)) {
    case 0:
    case 1:
      return mid;
    case 2:
      return DoubleBall::enclose(
          mid, std::ldexp(std::fabs(mid), -static_cast<int>(random.integer(1, 60))));
    case 3:
      return DoubleBall::enclose(mid, std::fabs(mid) * random.uniform(0, 2));
    default:
      return DoubleBall::enclose(mid, std::fabs(random.dyadic(max_exponent).nearest_double()));
  }
}

inline std::string show(const DoubleBall& x) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, "%a +- %a", x.mid(), x.rad());
  return buffer;
}

/// mid and rad are as the class promises.
inline bool is_well_formed(const DoubleBall& x) {
  if (!(std::fabs(x.mid()) < DoubleBall::limit)) return false;
  if (x.rad() == 0) return true;
  return x.rad() >= DoubleBall::tiny &&
         (x.rad() < DoubleBall::limit || (x.mid() == 0 && x.rad() == HUGE_VAL));
}

}  // namespace heed::test
