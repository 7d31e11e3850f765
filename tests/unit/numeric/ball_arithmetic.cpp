// SPDX-License-Identifier: Apache-2.0
#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::PrecisionScope;
using heed::test::has_relative_bits;
using heed::test::mpfr_binary;
using heed::test::point_of;
using heed::test::Random;
using heed::test::rounds;
using heed::test::show;

namespace {

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

struct Operation {
  const char* name;
  Ball (*ball)(const Ball&, const Ball&);
  Ball& (Ball::*in_place)(const Ball&);
  MpfrFunction reference;
};

const Operation operations[] = {
    {"+", [](const Ball& a, const Ball& b) { return a + b; }, &Ball::operator+=, mpfr_add},
    {"-", [](const Ball& a, const Ball& b) { return a - b; }, &Ball::operator-=, mpfr_sub},
    {"*", [](const Ball& a, const Ball& b) { return a * b; }, &Ball::operator*=, mpfr_mul},
    {"/", [](const Ball& a, const Ball& b) { return a / b; }, &Ball::operator/=, mpfr_div}};

bool same(const Ball& a, const Ball& b) { return arb_equal(arb(a), arb(b)) != 0; }

}  // namespace

TEST_CASE("Ball arithmetic contains the exact result of every pair of points") {
  Random random(11);
  for (const Operation& op : operations) {
    for (int k = rounds(1500); k > 0; --k) {
      const int bits = random.precision();
      const PrecisionScope scope(bits);
      const Ball a = random.ball(600), b = random.ball(600);
      const Ball result = op.ball(a, b);
      if (op.reference == mpfr_div && b.contains_zero()) {
        if (result.is_finite()) FAIL("division by " << show(b) << " gave " << show(result));
        continue;
      }
      for (int sample = 0; sample < 3; ++sample) {
        const Ball x = point_of(a, random.integer(-8, 8)), y = point_of(b, random.integer(-8, 8));
        const Ball exact = mpfr_binary(op.reference, x, y, 3 * bits + 60);
        if (!result.overlaps(exact))
          FAIL(show(a) << " " << op.name << " " << show(b) << " at " << bits
                       << " bits: " << show(result) << " misses " << show(exact));
      }
    }
  }
}

TEST_CASE("Ball arithmetic on single points is as narrow as the working precision") {
  Random random(12);
  for (const Operation& op : operations) {
    for (int k = rounds(1000); k > 0; --k) {
      const int bits = random.precision();
      const PrecisionScope scope(bits);
      const Ball a = random.point(600), b = random.point(600);
      if (op.reference == mpfr_div && b.contains_zero()) continue;
      const Ball result = op.ball(a, b);
      if (!has_relative_bits(result, bits - 3))
        FAIL(show(a) << " " << op.name << " " << show(b) << " at " << bits << ": " << show(result));
    }
  }
}

TEST_CASE("Ball arithmetic in place, also with itself, is the same operation") {
  Random random(13);
  for (const Operation& op : operations) {
    for (int k = rounds(300); k > 0; --k) {
      const PrecisionScope scope(random.precision());
      const Ball a = random.ball(300), b = random.ball(300);
      Ball c = a;
      (c.*op.in_place)(b);
      if (!same(c, op.ball(a, b)) && c.is_finite()) FAIL(op.name << "=");
      Ball d = a;
      (d.*op.in_place)(d);
      const Ball copy = a;
      if (!same(d, op.ball(a, copy)) && d.is_finite())
        FAIL("a " << op.name << "= a, a = " << show(a));
    }
  }
  Ball wide = Ball::hull(1, 2);
  const Ball& same_wide = wide;
  wide -= same_wide;
  CHECK(wide.contains(Ball::hull(-1, 1)));
  CHECK(Ball::hull(-2, 2).contains(wide));
  Ball ratio = Ball::hull(1, 2);
  Ball& self = ratio;
  ratio /= self;
  CHECK(ratio.contains(heed::Rational(1, 2)));
  CHECK(ratio.contains(heed::Rational(2)));
  ratio = self;
  CHECK(ratio.contains(heed::Rational(2)));
}

TEST_CASE("Ball: exact operations are exact at any precision") {
  Random random(14);
  for (int k = rounds(500); k > 0; --k) {
    const Ball a = random.ball(600);
    const PrecisionScope scope(2);
    if (!same(-(-a), a)) FAIL("negation");
    const long e = random.integer(-2000, 2000);
    if (!same(ldexp(ldexp(a, e), -e), a)) FAIL("ldexp");
    if (!a.contains(a.midpoint())) FAIL("midpoint");
    if (!a.midpoint().is_exact() || !a.radius().is_exact()) FAIL("points");
    const Ball m = abs(a);
    for (const long s : {-8, -3, 0, 8})
      if (!m.contains(abs(point_of(a, s)))) FAIL("abs " << show(a));
  }
  CHECK(heed::approx::exponent(ldexp(Ball(1), 1'000'000)) == 1'000'001);
  CHECK(same(ldexp(ldexp(Ball(3), 1L << 40), -(1L << 40)), Ball(3)));
}

TEST_CASE("Ball: minimum and maximum contain those of every pair of points") {
  Random random(15);
  for (int k = rounds(1000); k > 0; --k) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    const Ball a = random.ball(20), b = random.chance(20) ? a : random.ball(20);
    const Ball low = min(a, b), high = max(a, b);
    for (int sample = 0; sample < 4; ++sample) {
      const Ball x = point_of(a, random.integer(-8, 8)), y = point_of(b, random.integer(-8, 8));
      const bool smaller = certainly(less_equal(x, y));
      if (!low.contains(smaller ? x : y)) FAIL("min of " << show(a) << " and " << show(b));
      if (!high.contains(smaller ? y : x)) FAIL("max of " << show(a) << " and " << show(b));
    }
    if (a.is_exact() && b.is_exact() && !has_relative_bits(low, bits - 3)) FAIL("min is wide");
    const Ball both = Ball::hull(a, b);
    const PrecisionScope compare(bits + 40);
    if (certainly(less(ldexp(both.radius(), 2), high.radius()))) FAIL("max is wider than the hull");
  }
}

TEST_CASE("Ball: dot contains the exact sum with any strides and is narrow") {
  Random random(16);
  for (int k = rounds(400); k > 0; --k) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    const auto n = static_cast<std::size_t>(random.integer(0, 12));
    const auto sa = static_cast<std::size_t>(random.integer(1, 3));
    const auto sb = static_cast<std::size_t>(random.integer(1, 3));
    std::vector<Ball> a(n * sa + 1), b(n * sb + 1);
    for (Ball& x : a) x = random.ball(30);
    for (Ball& x : b) x = random.ball(30);
    const Ball result = dot(n, a.data(), sa, b.data(), sb);
    Ball exact, magnitude;
    bool points = true;
    {
      const PrecisionScope high(3 * bits + 5000);
      for (std::size_t j = 0; j < n; ++j) {
        exact += point_of(a[j * sa], 8) * point_of(b[j * sb], -8);
        magnitude += abs(a[j * sa] * b[j * sb]);
        points = points && a[j * sa].is_exact() && b[j * sb].is_exact();
      }
    }
    if (!result.contains(exact)) FAIL("dot of " << n << " at " << bits << " bits");
    const PrecisionScope compare(bits + 64);
    if (points && certainly(less(ldexp(magnitude, 4 - bits), result.radius()))) FAIL("dot is wide");
  }
  CHECK(same(dot(0, static_cast<const Ball*>(nullptr), 1, static_cast<const Ball*>(nullptr), 1),
             Ball()));
}
