// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/verdict.hpp"

#include <string>

#include "heed/numeric/precision.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::PrecisionScope;
using heed::Rational;
using heed::VerdictKind;

TEST_CASE("compare proves, refutes, or says what is missing") {
  const Ball third(Rational(1, 3));
  CHECK(compare(Ball(1), Ball(2)).kind == VerdictKind::proved);
  CHECK(compare(Ball(2), Ball(2)).kind == VerdictKind::proved);
  CHECK(compare(Ball(2), Ball(1)).kind == VerdictKind::refuted);
  CHECK(compare(third, Ball(Rational(34, 100))).kind == VerdictKind::proved);
  CHECK(compare(third, Ball(Rational(33, 100))).kind == VerdictKind::refuted);
  const PrecisionScope scope(90);
  const heed::Verdict v = compare(third, third);
  CHECK(v.kind == VerdictKind::undecided);
  CHECK(v.bits == 90);
  CHECK(v.reason == "enclosures overlap at 90 bits");
  CHECK_FALSE(v.equality);
  CHECK(compare(Ball(1) / Ball(0), Ball(1)).reason == "an enclosure is not finite at 90 bits");
}

TEST_CASE("compare decides at high precision what it leaves open at low precision") {
  const Rational tiny = Rational::power_of_two(-300);
  const auto verdict = [&](int bits, const Rational& gap) {
    const PrecisionScope scope(bits);
    return compare(Ball(Rational(1, 3)), Ball(Rational(1, 3) + gap)).kind;
  };
  CHECK(verdict(128, tiny) == VerdictKind::undecided);
  CHECK(verdict(512, tiny) == VerdictKind::proved);
  CHECK(verdict(128, -tiny) == VerdictKind::undecided);
  CHECK(verdict(512, -tiny) == VerdictKind::refuted);
}

TEST_CASE("compare never contradicts the exact order") {
  heed::test::Random random(61);
  for (int k = heed::test::rounds(2000); k > 0; --k) {
    const PrecisionScope scope(random.precision());
    const Rational a = random.dyadic(3) / Rational(random.integer(1, 50));
    const Rational b = random.chance(30) ? a : random.dyadic(3) / Rational(random.integer(1, 50));
    const VerdictKind kind = compare(Ball(a), Ball(b)).kind;
    if (kind == VerdictKind::proved && !(a <= b)) FAIL("proved");
    if (kind == VerdictKind::refuted && !(a > b)) FAIL("refuted");
  }
}

TEST_CASE("agree_to_digits needs every pair of points to agree") {
  const Ball one(1), close(Rational(1) + Rational::parse("0.9e-20"));
  CHECK(agree_to_digits(one, close, 19));
  CHECK(agree_to_digits(one, close, 20));
  CHECK_FALSE(agree_to_digits(one, close, 21));
  CHECK(agreeing_digits(one, close, 100) == 20);
  CHECK_FALSE(agree_to_digits(one, Ball(Rational(1) + Rational::parse("1.5e-20")), 20));
  CHECK(agreeing_digits(one, close, 12) == 12);
  CHECK(agreeing_digits(one, Ball(2), 100) == 0);
  CHECK(agreeing_digits(one, Ball(-1), 100) == 0);
  CHECK(agreeing_digits(Ball(0), Ball(0), 100) == 100);
  CHECK(agreeing_digits(Ball(0), Ball(1e-300), 100) == 0);
  CHECK(agreeing_digits(Ball(1) / Ball(0), one, 100) == 0);
  const Ball wide = one + Ball::symmetric(Ball(1e-10));
  CHECK(agreeing_digits(wide, one, 100) <= 10);
  CHECK(agreeing_digits(wide, wide, 100) <= 10);
  CHECK(agreeing_digits(wide, wide, 100) >= 8);
  const Ball small = close * Ball(1e-200);
  CHECK(agreeing_digits(small, Ball(1e-200), 100) == 20);
}

TEST_CASE("Verdict words") {
  CHECK(std::string(to_string(VerdictKind::proved)) == "proved");
  CHECK(std::string(to_string(VerdictKind::refuted)) == "refuted");
  CHECK(std::string(to_string(VerdictKind::undecided)) == "undecided");
  CHECK(std::string(to_string(VerdictKind::not_applicable)) == "not_applicable");
  CHECK(heed::Verdict().kind == VerdictKind::undecided);
}
