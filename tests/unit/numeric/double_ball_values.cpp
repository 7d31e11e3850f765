// SPDX-License-Identifier: Apache-2.0
// Construction, conversion, ends, predicates and values at the ends of the range.
#include <limits>

#include "unit/numeric/double_ball_reference.hpp"

using heed::Ball;
using heed::DoubleBall;
using heed::Rational;
using heed::Ternary;
using namespace heed::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();
const DoubleBall line = DoubleBall::unknown();

}  // namespace

TEST_CASE("DoubleBall from numbers: exact where a normal double is, else around it") {
  CHECK(DoubleBall().is_exact());
  CHECK(DoubleBall(-7).mid() == -7);
  CHECK(DoubleBall(0.1).is_exact());
  CHECK(DoubleBall(Rational(1, 4)).is_exact());
  const DoubleBall third{Rational(1, 3)};
  CHECK_FALSE(third.is_exact());
  CHECK(third.contains(Rational(1, 3)));
  CHECK(third.rad() < 1e-16);
  for (const double x : {5e-324, -0x1p-1023, 0x1.fffffffffffffp-1023}) {
    const DoubleBall a(x), b{Rational(x)};
    CHECK(a.contains(Rational(x)));
    CHECK(b.contains(Rational(x)));
    CHECK(is_well_formed(a));
    CHECK(is_well_formed(b));
    CHECK(a.rad() < 0x1p-1019);
  }
  for (const double x : {inf, -inf, nan_value, 0x1p1023, -std::numeric_limits<double>::max()}) {
    CHECK_FALSE(DoubleBall(x).is_finite());
    CHECK(DoubleBall(x).mid() == 0);
  }
  CHECK(DoubleBall(0x1.fffffffffffffp1022).is_exact());
  for (const char* text : {"1e400", "-1e400", "1e308"})
    CHECK_FALSE(DoubleBall(Rational::parse(text)).is_finite());
  CHECK(DoubleBall(Rational::parse("1e-400")).contains(Rational::parse("1e-400")));
  CHECK(DoubleBall(Rational::parse("1e-400")).rad() < 0x1p-1019);
  Random random(7301);
  for (int round = rounds(1000); round > 0; --round) {
    const Rational q = random.dyadic(1070) * Rational(random.integer(1, 9), random.integer(1, 9));
    const DoubleBall x(q);
    if (!x.is_finite()) continue;
    if (!x.contains(q)) FAIL(q.to_string() << " in " << show(x));
    if (!(x.rad() <= DoubleBall::unit * std::fabs(x.mid()) + 0x1p-1018)) FAIL("wide " << show(x));
  }
}

TEST_CASE("DoubleBall::enclose and between take any doubles") {
  CHECK_FALSE(DoubleBall::enclose(1, -1).is_finite());
  CHECK_FALSE(DoubleBall::enclose(1, nan_value).is_finite());
  CHECK_FALSE(DoubleBall::enclose(nan_value, 1).is_finite());
  CHECK_FALSE(DoubleBall::enclose(1, inf).is_finite());
  CHECK_FALSE(DoubleBall::enclose(inf, 0).is_finite());
  CHECK(DoubleBall::enclose(5e-324, 0).contains(Rational(5e-324)));
  CHECK(is_well_formed(DoubleBall::enclose(1, 5e-324)));
  CHECK_FALSE(DoubleBall::between(2, 1).is_finite());
  CHECK_FALSE(DoubleBall::between(nan_value, 1).is_finite());
  CHECK_FALSE(DoubleBall::between(0, nan_value).is_finite());
  CHECK_FALSE(DoubleBall::between(-inf, 1).is_finite());
  CHECK_FALSE(DoubleBall::between(-inf, inf).is_finite());
  Random random(7302);
  for (int round = rounds(2000); round > 0; --round) {
    double lo = random.chance(10) ? 0 : random.dyadic(1074).nearest_double();
    double hi = random.chance(10) ? 0 : random.dyadic(1074).nearest_double();
    if (hi < lo) std::swap(lo, hi);
    const DoubleBall x = DoubleBall::between(lo, hi);
    if (!is_well_formed(x)) FAIL(show(x));
    if (!x.is_finite()) continue;
    if (!x.contains(Rational(lo)) || !x.contains(Rational(hi)))
      FAIL(lo << " " << hi << " " << show(x));
    const double size = std::max(std::fabs(lo), std::fabs(hi));
    if (!(x.rad() <= (hi - lo) * 0.501 + 4 * DoubleBall::unit * size + 0x1p-1018))
      FAIL("wide " << show(x));
    if (lo == 0 && !(x.mid() >= x.rad())) FAIL("reaches below 0: " << show(x));
  }
}

TEST_CASE("DoubleBall to and from Ball") {
  Random random(7303);
  for (int round = rounds(1000); round > 0; --round) {
    const DoubleBall x = random_double_ball(random, 1080);
    const Ball b = to_ball(x);
    CHECK(b.is_finite() == x.is_finite());
    if (x.is_finite()) {
      if (!b.contains(least_of(x)) || !b.contains(largest_of(x))) FAIL("to_ball " << show(x));
      CHECK(certainly(less_equal(b.radius(), Ball(x.rad()) * Ball(1 + 0x1p-28))));
    }
    const Ball wide = random.ball(1200);
    const DoubleBall y(wide);
    if (!is_well_formed(y)) FAIL(show(y));
    if (!y.is_finite()) continue;
    const heed::PrecisionScope exact(20'000);
    if (!surrounds(y, wide.midpoint() + wide.radius()) ||
        !surrounds(y, wide.midpoint() - wide.radius()))
      FAIL("from Ball " << show(y));
  }
  CHECK_FALSE(DoubleBall(Ball(1) / Ball(0)).is_finite());
  CHECK_FALSE(DoubleBall(Ball(nan_value)).is_finite());
  CHECK(DoubleBall(Ball(0.1)).is_exact());
  CHECK_FALSE(to_ball(line).is_finite());
}

TEST_CASE("ends of a DoubleBall are outward, and exact for points") {
  Random random(7304);
  for (int round = rounds(2000); round > 0; --round) {
    const DoubleBall x = random_double_ball(random, 1080);
    if (!x.is_finite()) {
      CHECK(x.lower() == -inf);
      CHECK(x.upper() == inf);
      continue;
    }
    if (std::isfinite(x.lower()) && Rational(x.lower()) > least_of(x)) FAIL(show(x));
    if (std::isfinite(x.upper()) && Rational(x.upper()) < largest_of(x)) FAIL(show(x));
    if (x.is_exact()) CHECK((x.lower() == x.mid() && x.upper() == x.mid()));
  }
}

TEST_CASE("predicates on DoubleBall are certain or unknown, never wrong") {
  Random random(7305);
  long certain = 0;
  for (int round = rounds(3000); round > 0; --round) {
    const DoubleBall a = random_double_ball(random, 20),
                     b = random.chance(20) ? a : random_double_ball(random, 20);
    const Rational al = least_of(a), ah = largest_of(a), bl = least_of(b), bh = largest_of(b);
    const auto check = [&](Ternary t, bool may_hold, bool may_fail, const char* what) {
      if (certainly(t) && may_fail) FAIL(what << " " << show(a) << " " << show(b));
      if (certainly_not(t) && may_hold) FAIL("not " << what << " " << show(a) << " " << show(b));
      certain += t != Ternary::unknown ? 1 : 0;
    };
    check(less(a, b), al < bh, ah >= bl, "<");
    check(less_equal(a, b), al <= bh, ah > bl, "<=");
    check(positive(a), ah > Rational(0), al <= Rational(0), "positive");
    check(negative(a), al < Rational(0), ah >= Rational(0), "negative");
    if (!a.overlaps(b)) CHECK((ah < bl || bh < al));
    CHECK(a.contains_zero() == (al <= Rational(0) && Rational(0) <= ah));
  }
  CHECK(certain > rounds(3000) * 2);
  CHECK(certainly(less_equal(DoubleBall(1), DoubleBall(1))));
  CHECK(certainly_not(less(DoubleBall(1), DoubleBall(1))));
  CHECK(certainly(less(DoubleBall(1), DoubleBall(1 + 0x1p-52))));
  CHECK(certainly_not(positive(DoubleBall(0))));
  CHECK(certainly_not(negative(DoubleBall(0))));
}

TEST_CASE("nothing is certain of the whole line, and nothing comes back from it") {
  for (const DoubleBall& x : {DoubleBall(1), DoubleBall(0), line}) {
    for (const auto& pair : {std::pair{line, x}, std::pair{x, line}}) {
      const auto& [a, b] = pair;
      CHECK(less(a, b) == Ternary::unknown);
      CHECK(less_equal(a, b) == Ternary::unknown);
      for (const DoubleBall& r : {a + b, a - b, a * b, a / b, min(a, b), max(a, b)})
        CHECK((!r.is_finite() && r.mid() == 0));
      const DoubleBall v[] = {a}, w[] = {b};
      CHECK_FALSE(dot(1, v, 1, w, 1).is_finite());
      CHECK(a.overlaps(b));
    }
  }
  CHECK(positive(line) == Ternary::unknown);
  CHECK(negative(line) == Ternary::unknown);
  for (const DoubleBall& r :
       {abs(line), -line, sqrt(line), sqrt_nonnegative(line), square(line), exp(line), expm1(line),
        log(line), log1p(line), tanh(line), ldexp(line, -3)})
    CHECK_FALSE(r.is_finite());
  CHECK(line.contains_zero());
  CHECK(line.contains(Rational(5)));
}

TEST_CASE("where an operation is not defined or leaves the range, nothing is known") {
  const DoubleBall large(0x1p1022), wide = DoubleBall::enclose(1, 2);
  for (const DoubleBall& r :
       {DoubleBall(1) / DoubleBall(0), DoubleBall(1) / wide, DoubleBall(0) / DoubleBall(0),
        large + large, large * large, large / DoubleBall(0x1p-10), square(large),
        exp(DoubleBall(800)), log(DoubleBall(0)), log(DoubleBall(-1)), log(wide),
        log1p(DoubleBall(-1)), ldexp(large, 1), ldexp(DoubleBall(1), 1L << 62)})
    CHECK_FALSE(r.is_finite());
  CHECK(exp(DoubleBall(-800)).contains(Rational(0x1p-1074)));
  CHECK(exp(DoubleBall(-800)).rad() < 0x1p-1019);
  CHECK(ldexp(DoubleBall(1), -(1L << 62)).rad() < 0x1p-1019);
  CHECK(ldexp(DoubleBall(0), 1L << 62).is_exact());
  CHECK(ldexp(DoubleBall(0x1p-1000), 2000).mid() == 0x1p1000);
  CHECK(ldexp(DoubleBall(0x1p-1000), 2000).is_exact());
}

TEST_CASE("exact zeros stay exact, so that structure is seen") {
  const DoubleBall x = DoubleBall::enclose(3, 1);
  CHECK((DoubleBall(0) * x).is_exact());
  CHECK((x * DoubleBall(0)).is_exact());
  CHECK((DoubleBall(0) / x).is_exact());
  CHECK((DoubleBall(0.1) + DoubleBall(0)).is_exact());
  CHECK((DoubleBall(0.1) - DoubleBall(0.1)).is_exact());
  CHECK(max(DoubleBall(0), DoubleBall(-2)).is_exact());
  CHECK(max(DoubleBall(0), DoubleBall::enclose(0, 1)).mid() >= 0.5);
  CHECK(min(DoubleBall(1), x).upper() <= 2.01);
}
