// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::has_relative_bits;
using heed::test::point_of;
using heed::test::Random;
using heed::test::rounds;
using heed::test::show;

TEST_CASE("Ball encloses the rational it is made of, tightly, and no other") {
  Random random(31);
  for (int k = rounds(2000); k > 0; --k) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    Rational q = random.dyadic(300);
    if (random.chance(60)) q /= Rational(random.integer(1, 1000));
    const Ball x(q);
    INFO(q.to_string() << " at " << bits << " bits");
    if (!x.contains(q)) FAIL("not contained");
    if (x.is_exact() != q.is_dyadic()) FAIL("a dyadic number is a single point, another is not");
    if (!has_relative_bits(x, bits - 3)) FAIL("wide");
    const Rational off =
        q + abs(q) * Rational::power_of_two(4 - bits) + Rational::power_of_two(-2000);
    if (x.contains(off)) FAIL("contains a number far away");
  }
}

TEST_CASE("Ball does not take a decimal for a double") {
  const Rational tenth = Rational::parse("0.1"), third(1, 3);
  CHECK(Ball(tenth).contains(tenth));
  CHECK(Ball(third).contains(third));
  CHECK_FALSE(Ball(0.1).contains(tenth));
  CHECK(Ball(0.1).is_exact());
  CHECK_FALSE(Ball(tenth).contains(Ball(0.1)));
  CHECK(Ball(tenth).has_relative_digits(37));
  CHECK_FALSE(Ball(tenth).has_relative_digits(45));
  CHECK((Ball(third) * Ball(3)).contains(Rational(1)));
  CHECK((Ball(tenth) * Ball(10)).contains(Rational(1)));
  CHECK(Ball(5e-324).contains(Rational::power_of_two(-1074)));
}

TEST_CASE("Ball: an exact input keeps all its bits at any working precision") {
  const PrecisionScope scope(20);
  const Rational q = Rational(1) + Rational::power_of_two(-500);
  CHECK(Ball(q).is_exact());
  CHECK((Ball(q) - Ball(1)).contains(Rational::power_of_two(-500)));
  CHECK((Ball(q) - Ball(1)).is_exact());
}

TEST_CASE("Ball: hull, symmetric, lower and upper enclose and are tight") {
  Random random(32);
  for (int k = rounds(1500); k > 0; --k) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    const Ball a = random.ball(100), b = random.ball(100);
    const Ball both = Ball::hull(a, b), around = Ball::symmetric(a);
    const Ball low = a.lower(), high = a.upper();
    INFO(show(a) << " and " << show(b) << " at " << bits << " bits");
    if (!both.contains(a) || !both.contains(b)) FAIL("hull");
    if (!low.is_exact() || !high.is_exact()) FAIL("ends are not points");
    for (const long at : {-8L, random.integer(-7, 7), 8L}) {
      const Ball x = point_of(a, at);
      if (!around.contains(x) || !around.contains(-x)) FAIL("symmetric");
      if (!certainly(less_equal(low, x)) || !certainly(less_equal(x, high))) FAIL("lower, upper");
    }
    const PrecisionScope exact(bits + 4000);
    const Ball slack = ldexp(abs(a) + abs(b), 3 - std::min(bits, 24));
    const Ball least = min(point_of(a, -8), point_of(b, -8)),
               most = max(point_of(a, 8), point_of(b, 8));
    if (certainly(less(most - least + slack, ldexp(both.radius(), 1)))) FAIL("hull is wide");
    const Ball end = ldexp(abs(a), 3 - bits);
    if (certainly(less(high - point_of(a, 8), Ball(0))) ||
        certainly(less(end, high - point_of(a, 8))))
      FAIL("upper is far");
    if (certainly(less(end, point_of(a, -8) - low))) FAIL("lower is far");
    if (certainly(less(abs(a).upper() * Ball(1.001), around.radius()))) FAIL("symmetric is wide");
    if (!around.midpoint().contains_zero()) FAIL("symmetric has another midpoint");
  }
}

TEST_CASE("Ball: containment and overlap agree with the end points") {
  Random random(33);
  for (int k = rounds(2000); k > 0; --k) {
    const Ball a = random.ball(3), b = random.ball(3);
    const PrecisionScope exact(4000);
    const Ball a0 = point_of(a, -8), a1 = point_of(a, 8), b0 = point_of(b, -8), b1 = point_of(b, 8);
    const bool inside = certainly(less_equal(a0, b0)) && certainly(less_equal(b1, a1));
    const bool meet = certainly(less_equal(a0, b1)) && certainly(less_equal(b0, a1));
    if (a.contains(b) != inside || a.overlaps(b) != meet) FAIL(show(a) << " and " << show(b));
    const bool zero = certainly(less_equal(a0, Ball(0))) && certainly(less_equal(Ball(0), a1));
    if (a.contains_zero() != zero || a.contains(Rational(0)) != zero) FAIL(show(a));
  }
}

TEST_CASE("Ball: digits reached") {
  const Ball x = Ball(1) + Ball::symmetric(Ball(Rational::parse("4.9e-11")));
  CHECK(x.has_relative_digits(10));
  CHECK_FALSE(x.has_relative_digits(11));
  CHECK(x.has_absolute_digits(10));
  CHECK_FALSE(x.has_absolute_digits(11));
  const Ball y = x * Ball(1000);
  CHECK(y.has_relative_digits(10));
  CHECK_FALSE(y.has_absolute_digits(10));
  CHECK(Ball(0).has_relative_digits(1000));
  CHECK_FALSE(Ball::symmetric(Ball(1e-300)).has_relative_digits(0));
  CHECK(Ball::symmetric(Ball(1e-300)).has_absolute_digits(299));
  CHECK(ldexp(Ball(1), 1'000'000).has_relative_digits(5000));
}

TEST_CASE("approx::to_double rounds the midpoint to nearest, also in the subnormal range") {
  Random random(34);
  for (int k = rounds(5000); k > 0; --k) {
    const Rational q = random.dyadic(1150);
    const double expected = q.nearest_double(), found = heed::approx::to_double(Ball(q));
    if (std::bit_cast<std::uint64_t>(expected + 0.0) != std::bit_cast<std::uint64_t>(found + 0.0))
      FAIL(q.to_string() << ": expected " << expected << ", found " << found);
  }
  CHECK(heed::approx::to_double(ldexp(Ball(1), 1'000'000)) == HUGE_VAL);
  CHECK(heed::approx::to_double(ldexp(Ball(-1), 1L << 61)) == -HUGE_VAL);
  CHECK(heed::approx::to_double(ldexp(Ball(1), -1'000'000)) == 0);
  CHECK(heed::approx::to_double(ldexp(Ball(1), -(1L << 61))) == 0);
  CHECK(std::isnan(heed::approx::to_double(Ball(std::nan("")))));
}

TEST_CASE("approx: sign, order, exponent and collapse look at midpoints") {
  const Ball a = Ball(-3) + Ball::symmetric(Ball(10)), b(2);
  CHECK(heed::approx::sign(a) == -1);
  CHECK(heed::approx::sign(Ball(0)) == 0);
  CHECK(heed::approx::sign(b) == 1);
  CHECK(heed::approx::less(a, b));
  CHECK_FALSE(heed::approx::abs_less(a, b));
  CHECK(heed::approx::exponent(b) == 2);
  CHECK(heed::approx::exponent(Ball(1.999)) == 1);
  CHECK(heed::approx::exponent(a) == 2);
  CHECK(heed::approx::exponent(Ball(0)) < -1'000'000);
  Ball c = a;
  heed::approx::collapse(c);
  CHECK(c.is_exact());
  CHECK(c.contains(Rational(-3)));
}
