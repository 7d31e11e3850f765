// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "unit/numeric/random_input.hpp"

using heed::Rational;
using heed::test::Random;
using heed::test::rounds;

TEST_CASE("Rational::to_decimal_or_fraction is exact and readable") {
  const auto text = [](const char* s) { return Rational::parse(s).to_decimal_or_fraction(); };
  CHECK(text("0") == "0");
  CHECK(text("-12") == "-12");
  CHECK(text("1/8") == "0.125");
  CHECK(text("-1/8") == "-0.125");
  CHECK(text("22/7") == "22/7");
  CHECK(text("-22/7") == "-22/7");
  CHECK(text("12345/100") == "123.45");
  CHECK(text("1/1000000") == "0.000001");
  CHECK(text("1/6") == "1/6");
  CHECK(text("-0.1") == "-0.1");
  CHECK(text("1e-400") == "0." + std::string(399, '0') + "1");
  CHECK(text("1e-401") == "1/1" + std::string(401, '0'));
}

TEST_CASE("Rational reads back what it writes") {
  Random random(4);
  for (int k = rounds(2000); k > 0; --k) {
    Rational q = random.dyadic(600);
    if (random.chance(50)) q /= Rational(random.integer(1, 1000));
    INFO(q.to_string());
    if (Rational::parse(q.to_string()) != q) FAIL("to_string");
    if (Rational::parse(q.to_decimal_or_fraction()) != q) FAIL("to_decimal_or_fraction");
  }
}

TEST_CASE("Rational: dyadic numbers, signs and order") {
  CHECK(Rational(3, 8).is_dyadic());
  CHECK(Rational(-5).is_dyadic());
  CHECK(Rational(0).is_dyadic());
  CHECK(Rational(6, 3).is_dyadic());
  CHECK_FALSE(Rational(1, 3).is_dyadic());
  CHECK_FALSE(Rational(1, 10).is_dyadic());
  CHECK(Rational(-1, 3).sign() == -1);
  CHECK(Rational(1, -3).sign() == -1);
  CHECK(Rational(1, 3) < Rational(34, 100));
  CHECK(abs(Rational(-1, 3)) == Rational(1, 3));
  CHECK(Rational::power_of_two(-3) == Rational(1, 8));
}

TEST_CASE("Rational: operands may be the same object") {
  Rational a(7, 3);
  Rational& same = a;
  a += same;
  CHECK(a == Rational(14, 3));
  a *= same;
  CHECK(a == Rational(196, 9));
  a /= same;
  CHECK(a == Rational(1));
  a -= same;
  CHECK(a == Rational(0));
  a = same;
  CHECK(a == Rational(0));
  Rational b(5);
  a = std::move(b);
  CHECK(a == Rational(5));
}
