// SPDX-License-Identifier: Apache-2.0
// Ball (Arb) against Interval<50> (MPFI): two independent implementations of one promise.
#include "heed/numeric/mpfi.hpp"
#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::Random;
using heed::test::rounds;
using heed::test::show;
using Interval = heed::Interval<50>;

namespace {

Ball end_point(mpfr_srcptr x) {
  Ball r;
  arf_set_mpfr(arb_midref(arb(r)), x);
  return r;
}

Ball low(const Interval& x) { return end_point(&x.backend().data()->left); }
Ball high(const Interval& x) { return end_point(&x.backend().data()->right); }

/// The smallest interval of this precision around the ball.
Interval around(const Ball& x) {
  Interval r;
  arb_get_interval_mpfr(&r.backend().data()->left, &r.backend().data()->right, arb(x));
  return r;
}

bool overlap(const Ball& x, const Interval& y) {
  const PrecisionScope exact(8000);
  return x.overlaps(Ball::hull(low(y), high(y)));
}

/// The ball may be four times as wide as the interval, and a rounding wider.
bool no_wider(const Ball& x, const Interval& y) {
  const PrecisionScope exact(8000);
  const Ball width = high(y) - low(y), size = max(abs(low(y)), abs(high(y)));
  return certainly(less_equal(ldexp(x.radius(), 1), ldexp(width, 2) + ldexp(size, -120)));
}

struct Binary {
  const char* name;
  Ball (*ball)(const Ball&, const Ball&);
  Interval (*interval)(const Interval&, const Interval&);
};

const Binary binaries[] = {{"+", [](const Ball& a, const Ball& b) { return a + b; },
                            [](const Interval& a, const Interval& b) { return Interval(a + b); }},
                           {"-", [](const Ball& a, const Ball& b) { return a - b; },
                            [](const Interval& a, const Interval& b) { return Interval(a - b); }},
                           {"*", [](const Ball& a, const Ball& b) { return a * b; },
                            [](const Interval& a, const Interval& b) { return Interval(a * b); }},
                           {"/", [](const Ball& a, const Ball& b) { return a / b; },
                            [](const Interval& a, const Interval& b) { return Interval(a / b); }},
                           {"min", [](const Ball& a, const Ball& b) { return min(a, b); },
                            [](const Interval& a, const Interval& b) { return heed::min(a, b); }},
                           {"max", [](const Ball& a, const Ball& b) { return max(a, b); },
                            [](const Interval& a, const Interval& b) { return heed::max(a, b); }}};

struct Unary {
  const char* name;
  Ball (*ball)(const Ball&);
  Interval (*interval)(const Interval&);
  long max_exponent;
};

const Unary unaries[] = {{"abs", [](const Ball& x) { return abs(x); },
                          [](const Interval& x) { return heed::abs(x); }, 500},
                         {"square", [](const Ball& x) { return square(x); },
                          [](const Interval& x) { return heed::square(x); }, 500},
                         {"sqrt", [](const Ball& x) { return sqrt(x); },
                          [](const Interval& x) { return Interval(sqrt(x)); }, 500},
                         {"sqrt_nonnegative", [](const Ball& x) { return sqrt_nonnegative(x); },
                          [](const Interval& x) { return heed::sqrt_nonnegative(x); }, 500},
                         {"exp", [](const Ball& x) { return exp(x); },
                          [](const Interval& x) { return Interval(exp(x)); }, 12},
                         {"expm1", [](const Ball& x) { return expm1(x); },
                          [](const Interval& x) { return heed::expm1(x); }, 12},
                         {"log", [](const Ball& x) { return log(x); },
                          [](const Interval& x) { return Interval(log(x)); }, 500},
                         {"log1p", [](const Ball& x) { return log1p(x); },
                          [](const Interval& x) { return heed::log1p(x); }, 500},
                         {"tanh", [](const Ball& x) { return tanh(x); },
                          [](const Interval& x) { return Interval(tanh(x)); }, 12},
                         {"ldexp", [](const Ball& x) { return ldexp(x, -7); },
                          [](const Interval& x) { return heed::ldexp(x, -7); }, 500}};

bool undefined(const Interval& x) { return mpfi_nan_p(x.backend().data()) != 0; }

}  // namespace

TEST_CASE("Ball and MPFI enclose the same results") {
  Random random(41);
  for (int k = rounds(2000); k > 0; --k) {
    const PrecisionScope scope(static_cast<int>(random.integer(10, 250)));
    const Ball a = random.ball(300), b = random.ball(300);
    const Interval p = around(a), q = around(b);
    for (const Binary& f : binaries) {
      const Ball x = f.ball(a, b);
      const Interval y = f.interval(p, q);
      if (undefined(y)) continue;
      if (!overlap(x, y))
        FAIL(show(a) << " " << f.name << " " << show(b) << ": " << show(x) << ", " << y);
    }
    for (const Unary& f : unaries) {
      const Ball c = f.max_exponent < 100 ? random.ball(f.max_exponent) : a;
      if (!certainly(less(abs(c), Ball(1e100))) && f.max_exponent < 100) continue;
      const Ball x = f.ball(c);
      const Interval y = f.interval(around(c));
      if (undefined(y)) continue;
      if (!overlap(x, y)) FAIL(f.name << " " << show(c) << ": " << show(x) << ", " << y);
    }
  }
}

TEST_CASE("Ball is hardly wider than MPFI on narrow input") {
  Random random(42);
  for (int k = rounds(1000); k > 0; --k) {
    const PrecisionScope scope(164);
    const auto narrow = [&](long max_exponent) {
      const Ball mid = random.point(max_exponent);
      return mid + Ball::symmetric(ldexp(mid, -random.integer(8, 200)));
    };
    const Ball a = narrow(300), b = narrow(300);
    for (const Binary& f : binaries) {
      if (b.contains_zero()) continue;
      const Ball x = f.ball(a, b);
      const Interval y = f.interval(around(a), around(b));
      if (!no_wider(x, y))
        FAIL(show(a) << " " << f.name << " " << show(b) << ": " << show(x) << ", " << y);
    }
    for (const Unary& f : unaries) {
      const Ball c = narrow(f.max_exponent < 100 ? 6 : 300);
      const Interval y = f.interval(around(c));
      if (undefined(y) || c.contains_zero()) continue;
      const Ball x = f.ball(c);
      if (!no_wider(x, y)) FAIL(f.name << " " << show(c) << ": " << show(x) << ", " << y);
    }
  }
}

TEST_CASE("Interval keeps NaN and encloses exact numbers") {
  const Interval nan = sqrt(Interval(-1)), one(1);
  REQUIRE(undefined(nan));
  CHECK(undefined(heed::max(nan, one)));
  CHECK(undefined(heed::max(one, nan)));
  CHECK(undefined(heed::min(nan, one)));
  CHECK(undefined(heed::min(one, nan)));
  CHECK(undefined(heed::sqrt_nonnegative(nan)));
  const Interval third = heed::Scalar<Interval>::from(Rational(1, 3));
  CHECK(mpfr_cmp_q(&third.backend().data()->left, Rational(1, 3).raw()) < 0);
  CHECK(mpfr_cmp_q(&third.backend().data()->right, Rational(1, 3).raw()) > 0);
  Interval point = third;
  heed::approx::collapse(point);
  CHECK(low(point).overlaps(high(point)));
  CHECK(heed::approx::sign(-third) == -1);
  CHECK(heed::approx::exponent(third) == -1);
  CHECK(heed::approx::less(third, one));
}
