// SPDX-License-Identifier: Apache-2.0
// The one formula in the other scalars: double, MPFR reals, MPFI intervals.
// These scalars come before the formula: a template sees the functions declared above it.
#include "heed/numeric/mpfi.hpp"
#include "heed/numeric/mpfr_real.hpp"

#include <cmath>
#include <limits>

#include "heed/numeric/logistic.hpp"
#include "unit/numeric/logistic_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Logistic;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::logistic_reference;
using heed::test::Random;
using heed::test::rounds;
using Interval = heed::Interval<50>;
using Real = heed::Real<50>;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<double> arguments() {
  std::vector<double> t;
  for (const double x :
       {0.0, 5e-324, 1e-300, 1e-17, 1e-8, 0.1, 1.0, 2.5, 30.0, 36.8, 700.0, 745.0, 800.0, 1e5})
    t.insert(t.end(), {x, -x});
  Random random(55);
  for (int k = rounds(1000); k > 0; --k) t.push_back(random.dyadic(11).nearest_double());
  return t;
}

template <class S>
std::array<S, 4> evaluate(const S& t) {
  using L = Logistic<S>;
  return {L::value(t), L::probability(t), L::second(t), L::third(t)};
}

double ulp(double x) {
  const double size = std::max(std::fabs(x), std::numeric_limits<double>::min());
  return std::nextafter(size, inf) - size;
}

Ball end_point(mpfr_srcptr x) {
  Ball r;
  arf_set_mpfr(arb_midref(arb(r)), x);
  return r;
}

}  // namespace

TEST_CASE("Logistic<double> is accurate to 8 ulp everywhere, also where e^-t underflows") {
  const PrecisionScope scope(400);
  double worst = 0;
  for (const double t : arguments()) {
    const auto found = evaluate<double>(t);
    const auto exact = logistic_reference(Ball(t), 400);
    for (std::size_t f = 0; f < 4; ++f) {
      const double error = std::fabs(heed::approx::to_double(Ball(found[f]) - exact[f]));
      const double ulps = error / ulp(heed::approx::to_double(exact[f]));
      worst = std::max(worst, ulps);
      if (!(ulps <= 8)) FAIL("function " << f << " of " << t << ": " << ulps << " ulp");
    }
  }
  CHECK(worst > 0);
}

TEST_CASE("Logistic<double> has the right limits and keeps NaN") {
  using L = Logistic<double>;
  CHECK(L::value(inf) == 0);
  CHECK(L::value(-inf) == inf);
  CHECK(L::probability(-inf) == 1);
  CHECK(L::second(1e300) == 0);
  CHECK(L::value(-1e300) == 1e300);
  const double nan = std::nan("");
  for (const double x : evaluate<double>(nan)) CHECK(std::isnan(x));
}

TEST_CASE("Logistic<Real<50>> is accurate to 48 digits") {
  const PrecisionScope scope(400);
  for (const double t : arguments()) {
    const auto found = evaluate<Real>(Real(t));
    const auto exact = logistic_reference(Ball(t), 400);
    for (std::size_t f = 0; f < 4; ++f) {
      const Ball value = end_point(found[f].backend().data());
      const Ball allowed = abs(exact[f]) * Ball(Rational::parse("1e-48"));
      if (!certainly(less_equal(abs(value - exact[f]), allowed)) && !(t == 0 && f == 3))
        FAIL("function " << f << " of " << t);
    }
  }
}

TEST_CASE("Logistic<Interval<50>> contains the value and is narrow") {
  const PrecisionScope scope(400);
  for (const double t : arguments()) {
    const auto found = evaluate<Interval>(Interval(t));
    const auto exact = logistic_reference(Ball(t), 400);
    for (std::size_t f = 0; f < 4; ++f) {
      const Ball low = end_point(&found[f].backend().data()->left),
                 high = end_point(&found[f].backend().data()->right);
      INFO("function " << f << " of " << t);
      if (!certainly(less_equal(low, exact[f].upper())) ||
          !certainly(less_equal(exact[f].lower(), high)))
        FAIL("not contained");
      const Ball allowed = abs(exact[f]) * Ball(Rational::parse("1e-47"));
      if (!certainly(less_equal(high - low, allowed)) && !(t == 0 && f == 3)) FAIL("wide");
    }
  }
}
