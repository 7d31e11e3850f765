// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/format.hpp"

#include <algorithm>
#include <string>

#include "unit/numeric/mpfr_reference.hpp"
#include "unit/numeric/random_input.hpp"

using heed::approx_digits;
using heed::Ball;
using heed::certain_digits;
using heed::decimal_interval;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::point_of;
using heed::test::Random;
using heed::test::rounds;
using heed::test::show;

namespace {

struct Printed {
  Rational lo, hi;
  long digits = 0;  // significant digits before the bracket, or those of the midpoint
  char form = '=';  // = exact, b bracket, r radius, i interval
};

long significant(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c == 'e' || c == '[' || c == ' ') break;
    if (c >= '0' && c <= '9' && !(c == '0' && digits.empty())) digits += c;
  }
  if (text.find('[') == std::string::npos) digits.resize(digits.find_last_not_of('0') + 1);
  return static_cast<long>(digits.size());
}

/// Reads the four notations back, exactly.
Printed read(const std::string& text) {
  Printed p;
  const auto comma = text.find(", "), plus = text.find(" +/- "), bracket = text.find('[');
  if (comma != std::string::npos) {
    p.form = 'i';
    p.lo = Rational::parse(text.substr(1, comma - 1));
    p.hi = Rational::parse(text.substr(comma + 2, text.size() - comma - 3));
  } else if (plus != std::string::npos) {
    p.form = 'r';
    const Rational mid = Rational::parse(text.substr(0, plus)),
                   rad = Rational::parse(text.substr(plus + 5));
    p.lo = mid - rad;
    p.hi = mid + rad;
    p.digits = significant(text);
  } else if (bracket != std::string::npos) {
    p.form = 'b';
    const std::string head = text.substr(0, bracket), tail = text.substr(bracket + 5);
    const Rational a = Rational::parse(head + text[bracket + 1] + tail);
    const Rational b = Rational::parse(head + text[bracket + 3] + tail);
    p.lo = std::min(a, b);
    p.hi = std::max(a, b);
    p.digits = significant(text);
  } else {
    p.lo = p.hi = Rational::parse(text);
    p.digits = significant(text);
  }
  return p;
}

bool encloses(const Rational& lo, const Rational& hi, const Ball& x) {
  const PrecisionScope exact(100'000);
  const Ball left = Ball(lo).upper(), right = Ball(hi).lower();
  return certainly(less_equal(left, point_of(x, -8))) &&
         certainly(less_equal(point_of(x, 8), right));
}

/// Relative radius 10^-k, or none.
Ball accurate_to(Random& random, long k) {
  const PrecisionScope scope(600);
  const Ball mid =
      random.chance(30) ? Ball(Rational(random.integer(1, 20), 10)) : random.point(900);
  return mid + Ball::symmetric(mid * Ball(Rational::parse("1e-" + std::to_string(k))));
}

}  // namespace

TEST_CASE("certain_digits: what is printed encloses the ball, and no digit is lost") {
  Random random(71);
  for (int round = rounds(4000); round > 0; --round) {
    const PrecisionScope scope(static_cast<int>(random.integer(30, 700)));
    const long k = random.integer(0, 60);
    const int max_digits = static_cast<int>(random.integer(1, 70));
    const Ball x = random.chance(10) ? random.ball(200) : accurate_to(random, k);
    const std::string text = certain_digits(x, max_digits);
    INFO(text << " for " << show(x) << ", " << max_digits << " digits");
    const Printed p = read(text);
    if (p.form == '=' ? !(x.is_exact() && x.contains(p.lo)) : !encloses(p.lo, p.hi, x))
      FAIL("does not enclose the ball");
    // The bracket, or an exact number in its place, is one digit more.
    if (p.digits > std::max(max_digits, 1) + (p.form == '=' ? 1 : 0))
      FAIL("more digits than asked for");
    if (p.form == 'i' && x.has_relative_digits(3)) FAIL("no digits where some are certain");
    // A number next to many nines or zeros is cut before them, at most four digits early.
    int accurate = 0;
    while (accurate < max_digits && x.has_relative_digits(accurate + 1)) ++accurate;
    if (p.form == 'b' && p.digits < accurate - 4) FAIL("few digits");
    if (p.form == 'r' && x.has_relative_digits(max_digits + 2) &&
        p.hi - p.lo > abs(p.hi) * Rational::parse("4e-" + std::to_string(max_digits - 1)))
      FAIL("large radius");
  }
}

TEST_CASE("certain_digits: the notations") {
  const auto around = [](const char* mid, const char* rad) {
    const PrecisionScope scope(400);
    return Ball(Rational::parse(mid)) + Ball::symmetric(Ball(Rational::parse(rad)));
  };
  CHECK(certain_digits(Ball(0)) == "0");
  CHECK(certain_digits(Ball(0.25)) == "0.25");
  CHECK(certain_digits(Ball(-0.25)) == "-0.25");
  CHECK(certain_digits(Ball(1234567)) == "1234567");
  CHECK(certain_digits(Ball(100)) == "100");
  CHECK(certain_digits(Ball(1e15)) == "1e15");
  CHECK(certain_digits(around("-0.217193485", "1e-9")) == "-0.21719348[3,7]");
  CHECK(certain_digits(around("123.4567", "0.00015")) == "123.456[5,9]");
  CHECK(certain_digits(around("1.23e-30", "1e-33")) == "1.2[2,4]e-30");
  CHECK(certain_digits(around("0.1", "1e-40")) == "0.1 +/- 1.1e-40");
  CHECK(certain_digits(around("0", "1e-20")) == "[-1.01e-20, 1.01e-20]");
  CHECK(certain_digits(around("1", "0.5")) == "[0.499, 1.51]");
  CHECK(certain_digits(around("5.51", "4.505")) == "[1, 10.1]");
  CHECK(certain_digits(Ball(1) / Ball(0)) == "not finite");
  CHECK(certain_digits(Ball(Rational(1, 3)), 5) == "0.33333[3,4]");
  CHECK(certain_digits(Ball(0.1)) == "0.100000000000000[0,1]");
}

TEST_CASE("certain_digits and decimal_interval accept extreme balls") {
  const Ball tiny = ldexp(Ball(Rational(1, 3)), -1'000'000);
  CHECK(certain_digits(tiny, 3) == "3.36[6,7]e-301031");
  Ball power(1);
  for (int k = 0; k < 3; ++k) power *= Ball(Rational::parse("1e-10000"));
  CHECK(certain_digits(power).substr(0, 12) == "1e-30000 +/-");
  const Ball nearly_exact = Ball(1) + Ball::symmetric(ldexp(Ball(1), -(1L << 40)));
  CHECK(certain_digits(nearly_exact).substr(0, 6) == "1 +/- ");
  CHECK(decimal_interval(nearly_exact).hi.size() < 2000);
  CHECK(decimal_interval(exp(Ball(-1e20))).lo == "0");
  CHECK(decimal_interval(Ball(1) / Ball(0)).lo == "-inf");
}

TEST_CASE("decimal_interval encloses and is tight") {
  Random random(72);
  for (int round = rounds(3000); round > 0; --round) {
    const PrecisionScope scope(static_cast<int>(random.integer(20, 500)));
    const Ball x =
        random.chance(50) ? random.ball(300) : accurate_to(random, random.integer(0, 80));
    const int digits = random.chance(50) ? 0 : static_cast<int>(random.integer(1, 60));
    const heed::DecimalInterval d = decimal_interval(x, digits);
    const Rational lo = Rational::parse(d.lo), hi = Rational::parse(d.hi);
    INFO(d.lo << " .. " << d.hi << " for " << show(x) << ", " << digits << " digits");
    if (!encloses(lo, hi, x)) FAIL("does not enclose the ball");
    const PrecisionScope exact(10'000);
    const Ball size = abs(x).upper();
    const Ball unit = digits == 0
                          ? ldexp(x.radius(), -3) + ldexp(size, -60)
                          : size * Ball(Rational::parse("1e-" + std::to_string(digits - 1)));
    const Ball allowed = x.radius() * Ball(2.03) + ldexp(unit, 1);
    if (certainly(less(allowed, Ball(hi) - Ball(lo)))) FAIL("wide");
  }
}

TEST_CASE("decimal_interval of an exact ball can be read back") {
  for (const double x : {0.5, -3.0, 0.1, 1e22, 123456.789}) {
    const heed::DecimalInterval d = decimal_interval(Ball(x), 60);
    CHECK(d.lo == d.hi);
    CHECK(Rational::parse(d.lo) == Rational(x));
  }
}

TEST_CASE("approx_digits rounds the midpoint") {
  CHECK(approx_digits(Ball(0)) == "0");
  CHECK(approx_digits(Ball(Rational(2, 3))) == "0.6667");
  CHECK(approx_digits(Ball(-1234567), 3) == "-1230000");
  CHECK(approx_digits(Ball(Rational::parse("9.9999e-8")), 2) == "1e-7");
  CHECK(approx_digits(Ball(1) / Ball(0)) == "-");
}
