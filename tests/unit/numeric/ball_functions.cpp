// SPDX-License-Identifier: Apache-2.0
#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::has_relative_bits;
using heed::test::mpfr_unary;
using heed::test::point_of;
using heed::test::Random;
using heed::test::rounds;
using heed::test::show;

namespace {

struct Function {
  const char* name;
  Ball (*ball)(const Ball&);
  int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  long max_exponent;  // of the argument
  double domain;      // f is defined for x > domain
};

constexpr double everywhere = -HUGE_VAL;

const Function functions[] = {
    {"sqrt", [](const Ball& x) { return sqrt(x); }, mpfr_sqrt, 900, 0},
    {"exp", [](const Ball& x) { return exp(x); }, mpfr_exp, 20, everywhere},
    {"expm1", [](const Ball& x) { return expm1(x); }, mpfr_expm1, 20, everywhere},
    {"log", [](const Ball& x) { return log(x); }, mpfr_log, 900, 0},
    {"log1p", [](const Ball& x) { return log1p(x); }, mpfr_log1p, 900, -1},
    {"tanh", [](const Ball& x) { return tanh(x); }, mpfr_tanh, 20, everywhere},
    {"square", [](const Ball& x) { return square(x); }, mpfr_sqr, 900, everywhere}};

bool certainly_above(const Ball& x, double bound) {
  return bound == everywhere || certainly(less(Ball(bound), x));
}

}  // namespace

TEST_CASE("Ball functions contain the value at every point") {
  Random random(21);
  for (const Function& f : functions) {
    for (int k = rounds(1000); k > 0; --k) {
      const int bits = random.precision();
      const PrecisionScope scope(bits);
      const Ball x = random.ball(f.max_exponent);
      if (!certainly(less(abs(x), Ball(1e300))) && f.max_exponent < 100) continue;
      if (f.max_exponent < 100 && !certainly(less(abs(x), ldexp(Ball(1), 25)))) continue;
      const Ball result = f.ball(x);
      for (const long at : {-8L, random.integer(-7, 7), 8L}) {
        const Ball point = point_of(x, at);
        if (!certainly_above(point, f.domain)) {
          if (certainly(less(point, Ball(f.domain))) && result.is_finite())
            FAIL(f.name << " " << show(x) << " reaches below its domain, and is " << show(result));
          continue;
        }
        const Ball exact = mpfr_unary(f.reference, point, 3 * bits + 60);
        if (!result.overlaps(exact))
          FAIL(f.name << " " << show(x) << " at " << bits << " bits: " << show(result) << " misses "
                      << show(exact));
      }
    }
  }
}

TEST_CASE("Ball functions of single points are as narrow as the working precision") {
  Random random(22);
  for (const Function& f : functions) {
    for (int k = rounds(500); k > 0; --k) {
      const int bits = random.precision();
      const PrecisionScope scope(bits);
      const Ball x = random.point(f.max_exponent);
      if (!certainly_above(x, f.domain)) continue;
      const Ball result = f.ball(x);
      // Arb 2.23 loses up to 10 bits in log1p at 16 to 31 bits, 2 elsewhere.
      const int lost = bits < 32 && f.reference == mpfr_log1p ? 11 : 3;
      if (!has_relative_bits(result, bits - lost) && !result.contains_zero())
        FAIL(f.name << " " << show(x) << " at " << bits << " bits: " << show(result));
      if (result.contains_zero() && !result.is_exact() && bits > 12)
        FAIL(f.name << " " << show(x) << " at " << bits << " bits lost its sign: " << show(result));
    }
  }
}

TEST_CASE("Ball functions of narrow balls are not much wider than the image") {
  Random random(23);
  for (const Function& f : functions) {
    for (int k = rounds(500); k > 0; --k) {
      const int bits = static_cast<int>(random.integer(40, 300));
      const PrecisionScope scope(bits);
      const Ball mid = random.point(f.max_exponent > 100 ? 300 : 5);
      const Ball x = mid + Ball::symmetric(ldexp(mid, -random.integer(8, 60)));
      if (!certainly_above(x, f.domain)) continue;
      const Ball result = f.ball(x);
      const PrecisionScope high(4 * bits);
      const Ball image = Ball::hull(f.ball(point_of(x, -8)), f.ball(point_of(x, 8)));
      const Ball allowed = ldexp(image.radius(), 2) + ldexp(abs(image), 3 - bits);
      if (!certainly(less_equal(result.radius(), allowed)))
        FAIL(f.name << " " << show(x) << " at " << bits << " bits: " << show(result)
                    << " for the image " << show(image));
    }
  }
}

TEST_CASE("Ball: sqrt_nonnegative cuts off what lies below zero") {
  Random random(24);
  for (int k = rounds(1000); k > 0; --k) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    const Ball x = random.ball(600);
    const Ball result = sqrt_nonnegative(x);
    if (!result.is_finite()) FAIL(show(x) << " gave " << show(result));
    for (const long at : {-8L, random.integer(-7, 7), 8L}) {
      const Ball point = point_of(x, at);
      const Ball exact =
          heed::approx::sign(point) <= 0 ? Ball(0) : mpfr_unary(mpfr_sqrt, point, 3 * bits + 60);
      if (!result.overlaps(exact)) FAIL(show(x) << " gave " << show(result));
    }
    const PrecisionScope high(2 * bits + 64);
    const Ball top = sqrt_nonnegative(point_of(x, 8));
    if (!certainly(less_equal(abs(result), ldexp(top, 2))))
      FAIL(show(x) << " is wide: " << show(result));
  }
  CHECK(sqrt_nonnegative(Ball(-4)).contains(Rational(0)));
  CHECK(certainly(less(abs(sqrt_nonnegative(Ball(-4))), Ball(1e-30))));
  CHECK(sqrt_nonnegative(Ball(4)).contains(Rational(2)));
}

TEST_CASE("Ball: functions at their special points") {
  CHECK(exp(Ball(0)).contains(Rational(1)));
  CHECK(exp(Ball(0)).is_exact());
  CHECK(expm1(Ball(0)).is_exact());
  CHECK(expm1(Ball(0)).contains_zero());
  CHECK(log(Ball(1)).contains_zero());
  CHECK(log1p(Ball(0)).contains_zero());
  CHECK(tanh(Ball(0)).contains_zero());
  CHECK(sqrt(Ball(9)).contains(Rational(3)));
  CHECK_FALSE(log(Ball(0)).is_finite());
  CHECK_FALSE(log(Ball::hull(0, 1)).is_finite());
  CHECK_FALSE(log1p(Ball(-1)).is_finite());
  CHECK_FALSE(sqrt(Ball(-1)).is_finite());
  CHECK(Ball::pi().overlaps(
      Ball(Rational::parse("3.14159265358979323846264338327950288419716939937510"))));
  CHECK(Ball::pi().has_relative_digits(37));
}

TEST_CASE("Ball: huge and tiny exponents are no special case") {
  const long e = 1'000'000;
  const Ball huge = ldexp(Ball(3), e), tiny = ldexp(Ball(3), -e);
  CHECK((huge * tiny).contains(Rational(9)));
  CHECK((huge * tiny).is_exact());
  CHECK(sqrt(huge * huge).contains(huge));
  CHECK(has_relative_bits(exp(tiny), 120));
  CHECK(has_relative_bits(expm1(tiny), 120));
  CHECK(has_relative_bits(log1p(tiny), 120));
  CHECK(has_relative_bits(tanh(tiny), 120));
  CHECK(has_relative_bits(log(huge), 120));
  CHECK(tanh(huge).contains(Ball(1)));
  CHECK(certainly(positive(exp(Ball(-1e15)))));
  CHECK(certainly(less(exp(Ball(-1e15)), Ball(1e-300))));
  // Exponents beyond the range of long: arb_expm1 alone would keep 28 bits.
  const Ball third = ldexp(Ball(Rational(1, 3)), -(1L << 62)),
             least = ldexp(Ball(3), -(1L << 62)) * third.midpoint();
  CHECK(has_relative_bits(expm1(least), 120));
  CHECK(certainly(less_equal(abs(expm1(least) - least), ldexp(least * least, 1))));
  const Ball vast = exp(huge), nothing = exp(-huge);
  CHECK_FALSE(certainly_not(less(Ball(1e300), vast)));
  CHECK(certainly(less(nothing, Ball(1e-300))));
  CHECK_FALSE(certainly_not(positive(nothing)));
}
