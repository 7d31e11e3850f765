// SPDX-License-Identifier: Apache-2.0
// Cross-check of Rational against a second owner of GMP numbers; the only test that includes it.
#include <boost/multiprecision/gmp.hpp>

#include "unit/numeric/random_input.hpp"

using boost::multiprecision::mpq_rational;
using heed::Rational;
using heed::test::Random;
using heed::test::rounds;

TEST_CASE("Rational arithmetic agrees with Boost's mpq_rational") {
  Random random(5);
  const auto boosted = [](const Rational& q) { return mpq_rational(q.to_string()); };
  const auto same = [&](const Rational& q, const mpq_rational& b) {
    return q.to_string() == b.str();
  };
  for (int k = rounds(1000); k > 0; --k) {
    Rational p = random.dyadic(200), q = random.dyadic(200);
    if (random.chance(70)) p /= Rational(random.integer(1, 99));
    if (random.chance(70)) q /= Rational(random.integer(1, 99));
    const mpq_rational a = boosted(p), b = boosted(q);
    INFO(p.to_string() << ", " << q.to_string());
    if (!same(p + q, a + b)) FAIL("+");
    if (!same(p - q, a - b)) FAIL("-");
    if (!same(p * q, a * b)) FAIL("*");
    if (q.sign() != 0 && !same(p / q, a / b)) FAIL("/");
    if (!same(-p, -a)) FAIL("negation");
    if (!same(abs(p), abs(a))) FAIL("abs");
    if ((p < q) != (a < b) || (p == q) != (a == b) || (p >= q) != (a >= b)) FAIL("order");
  }
}
