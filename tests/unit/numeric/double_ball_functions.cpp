// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/logistic.hpp"
#include "unit/numeric/double_ball_reference.hpp"
#include "unit/numeric/logistic_reference.hpp"

using heed::Ball;
using heed::DoubleBall;
using heed::Logistic;
using heed::PrecisionScope;
using heed::Rational;
using namespace heed::test;

namespace {

struct Function {
  const char* name;
  DoubleBall (*f)(const DoubleBall&);
  Ball (*reference)(const Ball&);
  bool nonnegative;  // defined there only
};

const Function functions[] = {
    {"exp", heed::exp, heed::exp, false},
    {"expm1", heed::expm1, heed::expm1, false},
    {"log", heed::log, heed::log, true},
    {"log1p", heed::log1p, heed::log1p, true},
    {"tanh", heed::tanh, heed::tanh, false},
    {"sqrt", heed::sqrt, heed::sqrt, true},
    {"sqrt_nonnegative", heed::sqrt_nonnegative, heed::sqrt, true},
};

}  // namespace

TEST_CASE("functions of a DoubleBall contain the values at its points") {
  Random random(7201);
  long finite = 0;
  for (int round = rounds(600); round > 0; --round)
    for (const Function& g : functions) {
      const long exponent = random.chance(20) ? 1080 : 9;
      DoubleBall x = random_double_ball(random, exponent);
      if (g.nonnegative) x = abs(x);
      const DoubleBall y = g.f(x);
      if (!is_well_formed(y)) FAIL(g.name << "(" << show(x) << ") = " << show(y));
      if (!y.is_finite()) continue;
      ++finite;
      const PrecisionScope scope(400);
      for (const long k : {-4, -1, 0, 3, 4}) {
        const Rational t = point_of(x, k);
        if (g.nonnegative && t.sign() < 0) FAIL("abs reaches below 0");
        if (!surrounds(y, g.reference(Ball(t))))
          FAIL(g.name << "(" << show(x) << ") = " << show(y));
      }
    }
  CHECK(finite > rounds(600) * 3);
}

TEST_CASE("functions of points are accurate to a few units in the last place") {
  Random random(7202);
  for (int round = rounds(2000); round > 0; --round)
    for (const Function& g : functions) {
      double t = random.dyadic(8).nearest_double();
      if (g.nonnegative) t = std::fabs(t);
      if (t == 0) continue;
      const DoubleBall y = g.f(t);
      if (!(y.rad() <= 4 * DoubleBall::unit * std::fabs(y.mid())))
        FAIL(g.name << "(" << t << ") = " << show(y));
    }
}

TEST_CASE("square roots: narrow balls, ends at 0, negative numbers") {
  Random random(7203);
  for (int round = rounds(1000); round > 0; --round) {
    const double mid = std::fabs(random.dyadic(300).nearest_double());
    if (mid == 0) continue;
    const DoubleBall x =
        DoubleBall::enclose(mid, std::ldexp(mid, -static_cast<int>(random.integer(1, 60))));
    const DoubleBall y = sqrt(x);
    // The steepest slope is at the lower end, at most mid / 2.
    CHECK(y.rad() <= 0.71 * y.mid() * (x.rad() / x.mid()) + 4 * DoubleBall::unit * y.mid());
  }
  CHECK(sqrt(DoubleBall(0)).is_exact());
  CHECK_FALSE(sqrt(DoubleBall(-1)).is_finite());
  CHECK_FALSE(sqrt(DoubleBall::enclose(1, 2)).is_finite());
  CHECK_FALSE(sqrt_nonnegative(DoubleBall(-1)).is_finite());
  CHECK_FALSE(sqrt_nonnegative(DoubleBall::unknown()).is_finite());
  const DoubleBall cut = sqrt_nonnegative(DoubleBall::enclose(1e-20, 3e-20));
  CHECK(cut.lower() <= 0);
  CHECK(cut.mid() >= cut.rad());
  CHECK(cut.contains(Rational(2e-10)));
  CHECK(cut.upper() < 2.001e-10);
  CHECK(sqrt(abs(DoubleBall::enclose(0, 4))).contains(Rational(2)));
  CHECK(sqrt(square(DoubleBall::enclose(1e-3, 1))).is_finite());
}

TEST_CASE("Logistic<DoubleBall> encloses and stays narrow at every margin") {
  Random random(7204);
  std::vector<double> margins{0.0, 1e-300, 1e-17, 0.1, 2.5, 30.0, 36.8, 600.0};
  for (int k = rounds(500); k > 0; --k) margins.push_back(random.uniform(-700, 700));
  for (const double size : margins)
    for (const double t : {size, -size}) {
      using L = Logistic<DoubleBall>;
      const DoubleBall values[] = {L::value(t), L::probability(t), L::second(t), L::third(t)};
      const PrecisionScope scope(4096);
      const auto exact = logistic_reference(Ball(t), 200);
      for (std::size_t k = 0; k < 4; ++k) {
        if (!surrounds(values[k], exact[k]))
          FAIL("derivative " << k << " at " << t << ": " << show(values[k]));
        if (!(values[k].rad() <= 0x1p-46 * std::fabs(values[k].mid()) + 0x1p-1000))
          FAIL("derivative " << k << " at " << t << " is wide: " << show(values[k]));
      }
    }
  CHECK(Logistic<DoubleBall>::value(5000.0).is_finite());
  CHECK(Logistic<DoubleBall>::value(-5000.0).contains(Rational(5000)));
}
