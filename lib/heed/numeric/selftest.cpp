// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/selftest.hpp"

#include <mpfr.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/format.hpp"
#include "heed/numeric/logistic.hpp"

namespace heed {
namespace {

using Random = std::mt19937_64;

Rational random_rational(Random& r) {
  const auto part = [&] { return static_cast<long>(r() >> 20) - (1L << 43); };
  const long q = part();
  return Rational(part(), q == 0 ? 1 : q) *
         Rational::power_of_two(static_cast<long>(r() % 200) - 100);
}

// Double arithmetic as written; `volatile` and the run-time argument keep the compiler from folding.
SelfTest machine() {
  SelfTest t{"double arithmetic is IEEE 754, rounding to nearest", 0, 0};
  t.expect(std::fegetround() == FE_TONEAREST);
  volatile double one = 1, tiny = 0x1p-60, least = 0x1p-1074, x = 41, y = 0.1;
  const double sum = one + tiny;
  t.expect(sum == 1);
  t.expect((one - sum) + tiny == 0x1p-60);
  t.expect(least / 2 == 0);
  t.expect(least != 0);
  const double product = x * y;
  t.expect(product == Rational(Rational(41) * Rational(0.1)).nearest_double());
  t.expect(1.0 + 0x1p-60 == sum);
  return t;
}

// Two implementations that share nothing but GMP.
SelfTest arithmetic(Random& r, int rounds) {
  SelfTest t{"balls contain exact rational results", 0, 0};
  for (int k = 0; k < rounds; ++k) {
    const PrecisionScope scope(24 + static_cast<int>(r() % 200));
    const Rational a = random_rational(r), b = random_rational(r);
    t.expect((Ball(a) + Ball(b)).contains(a + b));
    t.expect((Ball(a) - Ball(b)).contains(a - b));
    t.expect((Ball(a) * Ball(b)).contains(a * b));
    t.expect(certainly(less_equal(Ball(a), Ball(b))) ? a <= b : true);
    t.expect(sqrt(square(Ball(a))).overlaps(abs(Ball(a))));
    if (b.sign() == 0) continue;
    t.expect((Ball(a) / Ball(b)).contains(a / b));
    t.expect(Ball(Rational(a / b)).contains(a / b));
  }
  return t;
}

bool contains(const Ball& x, mpfr_srcptr value) {
  arf_t v;
  arf_init(v);
  arf_set_mpfr(v, value);
  const bool inside = arb_contains_arf(arb(x), v) != 0;
  arf_clear(v);
  return inside;
}

// The value at three times the precision lies well inside the ball unless the ball is wrong: radii are
// at least half a unit of the working precision.
SelfTest elementary(Random& r, int rounds) {
  using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using BallFunction = Ball (*)(const Ball&);
  const std::pair<Function, BallFunction> functions[] = {{mpfr_exp, exp},     {mpfr_expm1, expm1},
                                                         {mpfr_tanh, tanh},   {mpfr_log, log},
                                                         {mpfr_log1p, log1p}, {mpfr_sqrt, sqrt}};
  SelfTest t{"elementary functions contain MPFR's values, narrowly", 0, 0};
  mpfr_t x, y;
  for (int k = 0; k < rounds; ++k) {
    const int bits = 40 + static_cast<int>(r() % 200);
    const PrecisionScope scope(bits);
    mpfr_inits2(3 * bits, x, y, nullptr);
    const double point =
        std::ldexp(static_cast<double>(r() >> 11) + 1, -53 - static_cast<int>(r() % 8) + 7);
    for (const auto& [reference, function] : functions) {
      mpfr_set_d(x, point, MPFR_RNDN);
      reference(y, x, MPFR_RNDN);
      const Ball f = function(Ball(point));
      t.expect(contains(f, y));
      t.expect(f.has_relative_digits(bits / 4));
    }
    mpfr_clears(x, y, nullptr);
  }
  return t;
}

// Called through a pointer that compilers do not see through, in each rounding mode.
SelfTest double_balls(Random& r, int rounds) {
  using Operation = DoubleBall (*)(const DoubleBall&, const DoubleBall&);
  using Exact = Rational (*)(const Rational&, const Rational&);
  using D = const DoubleBall&;
  using Q = const Rational&;
  const std::pair<Operation, Exact> operations[] = {
      {[](D a, D b) { return a + b; }, [](Q a, Q b) { return a + b; }},
      {[](D a, D b) { return a - b; }, [](Q a, Q b) { return a - b; }},
      {[](D a, D b) { return a * b; }, [](Q a, Q b) { return a * b; }},
      {[](D a, D b) { return a / b; }, [](Q a, Q b) { return a / b; }},
      {[](D a, D b) { return max(a, b); }, [](Q a, Q b) { return a < b ? b : a; }},
      {[](D a, D) { return square(sqrt(abs(a))); }, [](Q a, Q) { return abs(a); }},
      {[](D a, D b) {
         const DoubleBall x[] = {a, b}, y[] = {b, b};
         return dot(2, x, 1, y, 1);
       },
       [](Q a, Q b) { return a * b + b * b; }}};
  SelfTest t{"enclosures in double contain exact results in every rounding mode, narrowly", 0, 0};
  for (int k = 0; k < rounds; ++k) {
    const DoubleBall point(random_rational(r).nearest_double()), b{random_rational(r)};
    const DoubleBall a =
        k % 2 == 0 ? point : DoubleBall::enclose(point.mid(), std::fabs(point.mid()) * 0x1p-20);
    for (const auto& [operation, exact] : operations)
      for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        volatile Operation hidden = operation;
        std::fesetround(mode);
        const DoubleBall result = hidden(a, b);
        std::fesetround(FE_TONEAREST);
        if (!result.is_finite()) continue;
        for (const int side : {-1, 0, 1})
          t.expect(result.contains(
              exact(Rational(a.mid()) + Rational(side) * Rational(a.rad()), Rational(b.mid()))));
      }
    const DoubleBall product = point * DoubleBall(b.mid()), root = sqrt(abs(point));
    t.expect(product.rad() <= 0x1p-50 * std::fabs(product.mid()));
    t.expect(root.rad() <= 0x1p-50 * root.mid());
    t.expect(to_ball(exp(point)).overlaps(exp(to_ball(point))));
  }
  return t;
}

SelfTest loss(Random& r, int rounds) {
  SelfTest t{"the logistic loss satisfies its equations", 0, 0};
  for (int k = 0; k < rounds; ++k) {
    const PrecisionScope scope(64 + static_cast<int>(r() % 200));
    const double point =
        std::ldexp(static_cast<double>(static_cast<long>(r() >> 11) - (1L << 52)), -43);
    const Ball x(point);
    t.expect((Logistic<Ball>::value(x) - Logistic<Ball>::value(-x) + x).contains_zero());
    t.expect((Logistic<Ball>::probability(x) - one_minus_exp_neg(Logistic<Ball>::value(x)))
                 .contains_zero());
    const Ball relative = Ball(Logistic<double>::value(point)) / Logistic<Ball>::value(x) - Ball(1);
    t.expect(certainly(less_equal(abs(relative), Ball(0x1p-49))));
  }
  return t;
}

SelfTest decimals(Random& r, int rounds) {
  SelfTest t{"printed decimals enclose", 0, 0};
  for (int k = 0; k < rounds; ++k) {
    const PrecisionScope scope(30 + static_cast<int>(r() % 100));
    const Ball x(random_rational(r));
    const DecimalInterval d = decimal_interval(x, 3 + static_cast<int>(r() % 30));
    const PrecisionScope fine(600);
    t.expect(certainly(less_equal(Ball(Rational::parse(d.lo)), x.lower())));
    t.expect(certainly(less_equal(x.upper(), Ball(Rational::parse(d.hi)))));
  }
  return t;
}

// Doubles of every size, one in four subnormal.
double random_double(Random& r) {
  const std::uint64_t bits = r(), exponent = bits >> 52 & 0x7ff;
  const std::uint64_t sign_and_fraction = bits & ~(std::uint64_t{0x7ff} << 52);
  return std::bit_cast<double>(exponent == 0x7ff || exponent % 4 == 0 ? sign_and_fraction : bits);
}

struct Results {
  std::vector<Ball> balls;
  std::vector<std::string> texts;
};

Results results(std::uint64_t seed) {
  Random r(seed);
  Results all;
  for (int k = 0; k < 200; ++k) {
    const PrecisionScope scope(24 + static_cast<int>(r() % 300));
    const double d = random_double(r);
    const Rational exact(d), q = random_rational(r);
    const Ball x(q), y = ldexp(x, -static_cast<long>(r() % 99)),
                     wide = y + Ball::symmetric(Ball(1));
    all.balls.insert(all.balls.end(), {Ball(d), Ball(exact), x / (Ball(3) + square(y)), exp(wide),
                                       sqrt(abs(x)), exp(y), expm1(y), log(abs(x)), log1p(abs(y)),
                                       tanh(wide), Ball::hull(x, y), dot(1, &x, 1, &wide, 1)});
    const double back = (exact / Rational(3)).nearest_double();
    all.texts.insert(all.texts.end(), {exact.to_string(), certain_digits(x, 20),
                                       decimal_interval(wide).lo, Rational(back).to_string()});
  }
  return all;
}

bool same_but_for_radii(const Ball& a, const Ball& b) {
  return a.contains(b.midpoint()) && b.contains(a.midpoint()) &&
         certainly(less_equal(a.radius(), ldexp(b.radius(), 1))) &&
         certainly(less_equal(b.radius(), ldexp(a.radius(), 1)));
}

bool refuses() {
  try {
    require_standard_float_environment();
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

SelfTest in_environment(const FloatEnvironment& e, const Results& standard, std::uint64_t seed) {
  SelfTest t{std::string(e.name) + ": containment, and the results of the standard environment", 0,
             0};
  const FloatEnvironmentScope scope(e);
  t.expect(refuses() == (e.flush || e.rounding != FE_TONEAREST));
  Random r(seed);
  for (const SelfTest& group : {arithmetic(r, 200), elementary(r, 60), decimals(r, 50)}) {
    t.cases += group.cases;
    t.failures += group.failures;
  }
  volatile double least = 0x1p-1074;
  t.expect(Rational(least) == Rational::power_of_two(-1074));
  t.expect(Ball(least).contains(Rational::power_of_two(-1074)));
  const Results here = results(seed);
  for (std::size_t k = 0; k < here.balls.size(); ++k)
    t.expect(same_but_for_radii(here.balls[k], standard.balls[k]));
  for (std::size_t k = 0; k < here.texts.size(); ++k) t.expect(here.texts[k] == standard.texts[k]);
  return t;
}

}  // namespace

std::vector<SelfTest> numeric_selftest(std::uint64_t seed) {
  Random r(seed);
  std::vector<SelfTest> all{machine()};
  all.push_back(arithmetic(r, 2000));
  all.push_back(elementary(r, 600));
  all.push_back(double_balls(r, 500));
  all.push_back(loss(r, 500));
  all.push_back(decimals(r, 500));
  return all;
}

std::vector<SelfTest> environment_selftest(std::uint64_t seed) {
  const std::vector<FloatEnvironment> environments = float_environments();
  const Results standard = [&] {
    const FloatEnvironmentScope scope(environments.front());
    return results(seed);
  }();
  std::vector<SelfTest> all;
  for (const FloatEnvironment& e : environments) all.push_back(in_environment(e, standard, seed));
  return all;
}

}  // namespace heed
