// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"
#include "heed/numeric/verdict.hpp"

using heed::Ball;
using heed::Ternary;

namespace {
const double infinity = std::numeric_limits<double>::infinity();

bool nothing_proved(const Ball& a, const Ball& b) {
  return less(a, b) == Ternary::unknown && less_equal(a, b) == Ternary::unknown &&
         less(b, a) == Ternary::unknown && less_equal(b, a) == Ternary::unknown &&
         compare(a, b).kind == heed::VerdictKind::undecided &&
         compare(b, a).kind == heed::VerdictKind::undecided && !agree_to_digits(a, b, 0) &&
         !agree_to_digits(b, a, 0);
}
}  // namespace

TEST_CASE("Ball: NaN and the ball of all reals prove nothing") {
  const Ball nan(std::nan("")), one(1), all = Ball::hull(-infinity, infinity);
  const Ball undefined[] = {nan,
                            Ball(1) / Ball(0),
                            Ball(0) / Ball(0),
                            Ball(1) / Ball::hull(-1, 1),
                            log(Ball(-1)),
                            sqrt(Ball(-1)),
                            Ball(infinity) - Ball(infinity),
                            Ball(infinity) * Ball(0),
                            log1p(Ball(-2)),
                            all,
                            abs(nan),
                            exp(nan),
                            min(nan, one),
                            max(nan, one),
                            Ball::hull(nan, one),
                            Ball::symmetric(nan),
                            sqrt_nonnegative(nan),
                            square(nan)};
  int index = 0;
  for (const Ball& x : undefined) {
    INFO("case " << index++);
    CHECK_FALSE(x.is_finite());
    CHECK_FALSE(x.is_exact());
    CHECK(x.contains_zero());
    CHECK(x.overlaps(one));
    CHECK_FALSE(one.contains(x));
    CHECK_FALSE(x.has_relative_digits(0));
    CHECK_FALSE(x.has_absolute_digits(0));
    CHECK_FALSE(certainly(positive(x)));
    CHECK_FALSE(certainly(negative(x)));
    CHECK_FALSE(certainly_not(negative(x)));
    for (const Ball& y : undefined) CHECK(nothing_proved(x, y));
    CHECK(nothing_proved(x, one));
    CHECK(nothing_proved(x, Ball(0)));
    CHECK(nothing_proved(x, x));
  }
}

TEST_CASE("Ball: an infinite number is never agreed with nor a proof") {
  const Ball inf(infinity), one(1);
  CHECK_FALSE(inf.is_finite());
  CHECK(compare(one, inf).kind == heed::VerdictKind::undecided);
  CHECK(compare(inf, one).kind == heed::VerdictKind::undecided);
  CHECK(compare(-inf, one).kind == heed::VerdictKind::undecided);
  CHECK_FALSE(agree_to_digits(inf, one, 3));
  CHECK_FALSE(agree_to_digits(inf, inf, 3));
  CHECK_FALSE(inf.has_relative_digits(5));
}

TEST_CASE("Ball: predicates hold for all pairs of points or they are unknown") {
  const Ball a = Ball::hull(0, 1), b = Ball::hull(1, 2), c = Ball::hull(1.5, 3);
  CHECK(less(a, c) == Ternary::certainly_true);
  CHECK(less(c, a) == Ternary::certainly_false);
  CHECK(less(a, b) == Ternary::unknown);  // the balls are slightly wider than the intervals
  CHECK(less_equal(b, c) == Ternary::unknown);
  CHECK(less(a, a) == Ternary::unknown);
  CHECK(less_equal(a, a) == Ternary::unknown);
  CHECK(less_equal(Ball(1), Ball(1)) == Ternary::certainly_true);
  CHECK(less(Ball(1), Ball(1)) == Ternary::certainly_false);
  CHECK(positive(Ball(0)) == Ternary::certainly_false);
  CHECK(negative(Ball(0)) == Ternary::certainly_false);
  CHECK(positive(Ball::symmetric(Ball(1))) == Ternary::unknown);
  CHECK(positive(c) == Ternary::certainly_true);
  CHECK(negative(-c) == Ternary::certainly_true);
  CHECK(negative(c) == Ternary::certainly_false);
}

TEST_CASE("Ball: moved-from balls can be used again") {
  Ball a = exp(Ball(1));
  const Ball b = std::move(a);
  a = Ball(2);
  CHECK(a.contains(heed::Rational(2)));
  CHECK(b.has_relative_digits(30));
  std::swap(a, a);
  CHECK(a.contains(heed::Rational(2)));
}
