// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/logistic.hpp"

#include "unit/numeric/logistic_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::has_relative_bits;
using heed::test::logistic_reference;
using heed::test::point_of;
using heed::test::Random;
using heed::test::rounds;
using heed::test::show;
using Logistic = heed::Logistic<Ball>;

namespace {

const char* const names[] = {"l", "p", "l''", "l'''"};

std::array<Ball, 4> evaluate(const Ball& t) {
  return {Logistic::value(t), Logistic::probability(t), Logistic::second(t), Logistic::third(t)};
}

Ball some_argument(Random& random) {
  static const double fixed[] = {0,   1e-300, -1e-300, 1e-8, 1,   -1,   30,  -30,
                                 700, -700,   800,     -800, 1e5, -1e5, 0.1, -36.7};
  if (random.chance(40)) return Ball(fixed[random.integer(0, 15)]);
  return Ball(random.dyadic(12));
}

}  // namespace

TEST_CASE("Logistic<Ball> contains l, p, l'', l''' at every point") {
  Random random(51);
  for (int k = rounds(400); k > 0; --k) {
    const int bits = random.precision();
    const PrecisionScope scope(bits);
    Ball t = some_argument(random);
    const long kind = random.integer(0, 3);
    if (kind == 1) t += Ball::symmetric(ldexp(Ball(1), -random.integer(0, 60)));
    if (kind == 2) t += Ball::symmetric(Ball(random.uniform(0, 40)));
    if (kind == 3 && random.chance(30)) t += Ball::symmetric(Ball(1e5));
    const auto result = evaluate(t);
    for (const long at : {-8L, random.integer(-7, 7), 8L}) {
      const auto exact = logistic_reference(point_of(t, at), bits);
      for (std::size_t f = 0; f < 4; ++f)
        if (!result[f].overlaps(exact[f]))
          FAIL(names[f] << " of " << show(t) << " at " << bits << " bits: " << show(result[f])
                        << " misses " << show(exact[f]));
    }
  }
}

TEST_CASE("Logistic<Ball> of single points is as narrow as the working precision") {
  Random random(52);
  for (int k = rounds(1000); k > 0; --k) {
    const int bits = random.precision() + 30;
    const PrecisionScope scope(bits);
    const Ball t = some_argument(random);
    const auto result = evaluate(t);
    for (std::size_t f = 0; f < 4; ++f) {
      const bool zero = f == 3 && t.contains_zero();
      if (!zero && !has_relative_bits(result[f], bits - 5))
        FAIL(names[f] << " of " << show(t) << " at " << bits << " bits: " << show(result[f]));
      if (zero && !result[f].contains_zero()) FAIL("l'''(0) = 0");
    }
  }
}

TEST_CASE("Logistic<Ball> of narrow balls: the width is that of the derivative") {
  Random random(53);
  for (int k = rounds(500); k > 0; --k) {
    const int bits = static_cast<int>(random.integer(60, 300));
    const PrecisionScope scope(bits);
    const Ball radius = ldexp(Ball(1), -random.integer(3, 50));
    const Ball t = some_argument(random) + Ball::symmetric(radius);
    const auto result = evaluate(t);
    const Ball point = t.midpoint();
    // |(l)'| = p, |p'| = l'', |(l'')'| <= l'', |(l''')'| <= l''.
    const Ball p = Logistic::probability(point), second = Logistic::second(point);
    const Ball slopes[] = {p, second, second, second};
    for (std::size_t f = 0; f < 4; ++f) {
      const Ball allowed = ldexp(slopes[f] * radius, 3) + ldexp(abs(result[f]), 5 - bits);
      if (certainly(less(allowed, result[f].radius())) || !result[f].is_finite())
        FAIL(names[f] << " of " << show(t) << " at " << bits << " bits: " << show(result[f]));
    }
  }
}

TEST_CASE("Logistic<Ball> of wide balls is finite up to radius 16") {
  for (const double mid : {-800.0, -5.0, 0.0, 5.0, 800.0}) {
    const Ball t = Ball(mid) + Ball::symmetric(Ball(16));
    for (const Ball& x : evaluate(t)) CHECK(x.is_finite());
  }
}

TEST_CASE("Logistic: identities of l, p and l'' hold in enclosures") {
  Random random(54);
  for (int k = rounds(300); k > 0; --k) {
    const PrecisionScope scope(random.precision());
    const Ball t = some_argument(random);
    const Ball l = Logistic::value(t), p = Logistic::probability(t), second = Logistic::second(t);
    INFO(show(t));
    if (!p.overlaps(heed::one_minus_exp_neg(l))) FAIL("p = 1 - e^-l");
    if (!second.overlaps(p * (Ball(1) - p))) FAIL("l'' = p (1 - p)");
    if (!l.overlaps(Logistic::value(-t) - t)) FAIL("l(t) = l(-t) - t");
    if (!p.overlaps(Ball(1) - Logistic::probability(-t))) FAIL("p(t) = 1 - p(-t)");
    if (!Logistic::third(t).overlaps(-Logistic::third(-t))) FAIL("l''' is odd");
    if (!Logistic::first(t).overlaps(-p)) FAIL("l' = -p");
  }
  CHECK(Logistic::value(Ball(0)).overlaps(log(Ball(2))));
  CHECK(Logistic::probability(Ball(0)).contains(Rational(1, 2)));
  CHECK(Logistic::second(Ball(0)).contains(Rational(1, 4)));
  CHECK(Logistic::third(Ball(0)).contains_zero());
}
