// SPDX-License-Identifier: Apache-2.0
#include <mpfr.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "unit/numeric/random_input.hpp"

using heed::Rational;
using heed::test::Random;
using heed::test::rounds;

namespace {

// MPFR with the precision and the exponent range of double, so that it rounds once.
double mpfr_nearest(const Rational& q) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  mpfr_t x;
  mpfr_init2(x, 53);
  const int inexact = mpfr_set_q(x, q.raw(), MPFR_RNDN);
  mpfr_subnormalize(x, inexact, MPFR_RNDN);
  const double result = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return result;
}

double random_double(Random& random) {
  double x = 0;
  do x = std::bit_cast<double>(random.bits());
  while (!std::isfinite(x));
  return x;
}

const double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("Rational::nearest_double returns every double it came from") {
  Random random(1);
  for (int k = rounds(20000); k > 0; --k) {
    const double x = random_double(random);
    if (Rational(x).nearest_double() != x) FAIL(x);
  }
}

TEST_CASE("Rational::nearest_double rounds halves to even, and next to a half correctly") {
  Random random(2);
  const Rational tiny = Rational::power_of_two(-3000);
  for (int k = rounds(5000); k > 0; --k) {
    const double x = random.chance(30)
                         ? std::ldexp(static_cast<double>(random.integer(0, 1L << 40)), -1074)
                         : std::fabs(random_double(random));
    const double next = std::nextafter(x, inf);
    if (next == inf) continue;
    const Rational half = (Rational(x) + Rational(next)) / Rational(2);
    const double even = (std::bit_cast<std::uint64_t>(x) & 1) == 0 ? x : next;
    INFO(x);
    if (half.nearest_double() != even) FAIL("tie");
    if ((half + tiny).nearest_double() != next) FAIL("above the tie");
    if ((half - tiny).nearest_double() != x) FAIL("below the tie");
    if ((-half - tiny).nearest_double() != -next) FAIL("below the negative tie");
  }
}

TEST_CASE("Rational::nearest_double agrees with MPFR and with strtod") {
  Random random(3);
  for (int k = rounds(5000); k > 0; --k) {
    const Rational q = random.dyadic(1200) / (random.dyadic(60) * Rational(2) + Rational(1, 3));
    if (q.nearest_double() != mpfr_nearest(q)) FAIL(q.to_string());
  }
  for (int k = rounds(5000); k > 0; --k) {
    const std::string text = std::to_string(random.integer(-1L << 60, 1L << 60)) + "." +
                             std::to_string(random.integer(0, 1L << 60)) + "e" +
                             std::to_string(random.integer(-345, 295));
    if (Rational::parse(text).nearest_double() != std::strtod(text.c_str(), nullptr)) FAIL(text);
  }
}

TEST_CASE("Rational::nearest_double at the ends of the range") {
  const double largest = std::numeric_limits<double>::max();
  const Rational limit = Rational::power_of_two(1024) - Rational::power_of_two(970);
  CHECK(limit.nearest_double() == inf);
  CHECK((limit - Rational(1)).nearest_double() == largest);
  CHECK((-limit).nearest_double() == -inf);
  CHECK(Rational::power_of_two(5000).nearest_double() == inf);
  CHECK(Rational::power_of_two(-1074).nearest_double() ==
        std::numeric_limits<double>::denorm_min());
  CHECK(Rational::power_of_two(-1075).nearest_double() == 0);
  CHECK((Rational::power_of_two(-1075) * Rational(3)).nearest_double() == std::ldexp(1, -1073));
  CHECK((Rational::power_of_two(-1075) + Rational::power_of_two(-9000)).nearest_double() ==
        std::numeric_limits<double>::denorm_min());
  CHECK(Rational::power_of_two(-50000).nearest_double() == 0);
  CHECK(Rational(0).nearest_double() == 0);
  CHECK(Rational::parse("0.1").nearest_double() == 0.1);
  CHECK(Rational::parse("2.2250738585072011e-308").nearest_double() == 2.2250738585072011e-308);
}
