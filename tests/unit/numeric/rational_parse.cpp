// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "heed/numeric/rational.hpp"

using Catch::Matchers::Contains;
using heed::Rational;

TEST_CASE("Rational reads decimals, fractions and hexadecimal floats exactly") {
  const Rational tenth(1, 10);
  CHECK(Rational::parse("0.1") == tenth);
  CHECK(Rational::parse(".1") == tenth);
  CHECK(Rational::parse("+1e-1") == tenth);
  CHECK(Rational::parse("1E-01") == tenth);
  CHECK(Rational::parse("100.e-3") == tenth);
  CHECK(Rational::parse("10/100") == tenth);
  CHECK(Rational::parse("-1/10") == -tenth);
  CHECK(Rational::parse("1e+3") == Rational(1000));
  CHECK(Rational::parse("-0") == Rational(0));
  CHECK(Rational::parse("-0").sign() == 0);
  CHECK(Rational::parse("007") == Rational(7));
  CHECK(Rational::parse("0x1.8p-3") == Rational(3, 16));
  CHECK(Rational::parse("-0X.8P+1") == Rational(-1));
  CHECK(Rational::parse("0xfF") == Rational(255));
  CHECK(Rational::parse("0x1e5") == Rational(0x1e5));
  CHECK(Rational::parse("6e-31") == Rational(6) / Rational::parse("1" + std::string(31, '0')));
  CHECK(Rational::parse("0.1") != Rational(0.1));
}

TEST_CASE("Rational refuses malformed numbers with the reason") {
  const auto refused = [](const std::string& text, const std::string& word) {
    INFO("\"" << text << "\"");
    CHECK_THROWS_WITH(Rational::parse(text), Contains(word));
    CHECK_THROWS_AS(Rational::parse(text), std::invalid_argument);
  };
  for (const char* text :
       {"", "-", "+", ".", "e5", "nan", "inf", " 1", "--1", "+-1", "0x.p1", "x1"})
    refused(text, "there are no digits");
  refused("1 ", "unexpected ' '");
  refused("1.2.3", "unexpected '.'");
  refused("1,5", "unexpected ','");
  refused("0x", "unexpected 'x'");
  refused("12p3", "unexpected 'p'");
  refused("1_000", "unexpected '_'");
  refused(std::string("1\0", 2), "found \"1?\": unexpected '?'");
  for (const char* text :
       {"1e", "1e+", "1e-", "1e+-5", "1e--5", "1e++5", "1e1.5", "1e5x", "0x1p", "1e 5"})
    refused(text, "the exponent is not an integer");
  for (const char* text : {"1/", "/2", "1/2/3", "1/-2", "1.5/2", "1/2e3", "0x1/2", "1 / 2"})
    refused(text, "p and q of p/q must be integers");
  refused("1/0", "the denominator is zero");
  refused("0/000", "the denominator is zero");
  refused("abc", "expected a number (decimal, p/q or hexadecimal float), found \"abc\"");
  refused(std::string(60, 'z'), std::string(40, 'z') + "...\"");
}

TEST_CASE("Rational refuses numbers that would only exhaust memory") {
  CHECK(Rational::parse("1e20000") > Rational::parse("9e19999"));
  CHECK(Rational::parse("1e-20000").sign() == 1);
  CHECK_THROWS_WITH(Rational::parse("1e20001"), Contains("beyond +-20000"));
  CHECK_THROWS_WITH(Rational::parse("1e-20001"), Contains("beyond +-20000"));
  CHECK_THROWS_WITH(Rational::parse("1e99999999999999999999"), Contains("beyond +-20000"));
  CHECK_THROWS_WITH(Rational::parse("1e-99999999999999999999"), Contains("beyond +-20000"));
  CHECK(Rational::parse("0x1p80000") == Rational::power_of_two(80000));
  CHECK_THROWS_WITH(Rational::parse("0x1p-80001"), Contains("beyond +-80000"));
  const std::string longest(Rational::max_digits, '9');
  CHECK(Rational::parse(longest) + Rational(1) == Rational::parse("1e20000"));
  CHECK_THROWS_WITH(Rational::parse(longest + "9"), Contains("more than 20000 characters"));
}

TEST_CASE("Rational reports division by zero and non-finite doubles") {
  Rational one(1);
  CHECK_THROWS_AS(one /= Rational(0), std::domain_error);
  CHECK_THROWS_AS(Rational(1, 0), std::domain_error);
  CHECK_THROWS_AS(Rational(HUGE_VAL), std::invalid_argument);
  CHECK_THROWS_AS(Rational(std::nan("")), std::invalid_argument);
  CHECK(one == Rational(1));
}
