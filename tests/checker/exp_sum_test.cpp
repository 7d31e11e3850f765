// SPDX-License-Identifier: Apache-2.0
#include "exp_sum.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace {

using heedcheck::ExpSum;
using heedcheck::ExpTerm;
using heedcheck::Interval;

constexpr std::size_t plenty = 100000;

struct Bits {
  explicit Bits(unsigned long bits) { Interval::set_bits(bits); }
  ~Bits() { Interval::set_bits(128); }
};

mpq_class ratio(long num, long den) {
  mpq_class x(num, den);
  x.canonicalize();
  return x;
}

ExpSum sum(std::vector<ExpTerm> terms, const mpq_class& beta = 1) {
  return ExpSum(std::move(terms), Interval(beta));
}

bool no_zero(const ExpSum& f, const mpq_class& a, const mpq_class& b, std::size_t cells = plenty) {
  return f.has_no_zero(a, b, cells);
}

// e^q - c, zero at log c.
ExpSum minus(const mpq_class& c) { return sum({{1, 0, 0, 1, 0}, {-c, 0, 0, 0, 0}}); }

class Draw {
 public:
  long below(long end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<long>((state_ >> 33) % static_cast<std::uint64_t>(end));
  }
  mpq_class fraction(long range) { return ratio(below(16 * range + 1) - 8 * range, 8); }

 private:
  std::uint64_t state_ = 7;
};

std::vector<ExpTerm> drawn(Draw& draw, bool squares) {
  std::vector<ExpTerm> terms;
  const long count = 1 + draw.below(5);
  for (long k = 0; k < count; ++k) {
    terms.push_back({draw.fraction(3), draw.below(3) == 0 ? draw.fraction(2) : mpq_class(0),
                     draw.fraction(2), draw.fraction(3),
                     squares && draw.below(2) == 0 ? ratio(-1, 2) : mpq_class(0)});
  }
  return terms;
}

// The sum in long double, and a bound of what rounding can do to it.
std::pair<long double, long double> plain(const std::vector<ExpTerm>& terms, double q) {
  long double value = 0, size = 0;
  for (const ExpTerm& t : terms) {
    const long double x = q, e = std::exp(static_cast<long double>(t.e0.get_d()) +
                                          (t.e1.get_d() + t.e2.get_d() * x) * x);
    value += (t.u.get_d() + t.v.get_d() * x) * e;
    size += (std::abs(t.u.get_d()) + std::abs(t.v.get_d() * x)) * e;
  }
  return {value, size * 1e-15L};
}

}  // namespace

TEST_CASE("terms of the same exponent are one, and those that cancel are none") {
  CHECK(sum({}).is_zero());
  CHECK(sum({{1, 0, 2, 3, 4}, {-1, 0, 2, 3, 4}}).is_zero());
  CHECK(sum({{1, 5, 2, 3, 4}, {2, -5, 2, 3, 4}, {-3, 0, 2, 3, 4}}).is_zero());
  CHECK_FALSE(sum({{1, 0, 2, 3, 4}, {-1, 0, 2, 3, 5}}).is_zero());
  CHECK_FALSE(sum({{1, 0, 2, 3, 4}, {-1, 0, 2, 2, 4}}).is_zero());
  CHECK_FALSE(sum({{1, 0, 2, 3, 4}, {-1, 0, 1, 3, 4}}).is_zero());
  CHECK_FALSE(sum({{1, 0, 2, 3, 4}, {-1, 1, 2, 3, 4}}).is_zero());
  // Far apart in the list.
  CHECK(sum({{1, 0, 0, 1, 0}, {1, 0, 0, 2, 0}, {-1, 0, 0, 1, 0}, {-1, 0, 0, 2, 0}}).is_zero());
}

TEST_CASE("one zero: at the logarithm, at several bits, and not beside it") {
  // log 2, log 10 to 30 digits.
  const std::pair<mpq_class, const char*> known[] = {{2, "693147180559945309417232121458"},
                                                     {10, "2302585092994045684017991454684"}};
  const mpz_class scale("1000000000000000000000000000000");
  for (const unsigned long bits : {32UL, 64UL, 160UL}) {
    const Bits of(bits);
    for (const auto& [c, digits] : known) {
      const ExpSum f = minus(c);
      mpq_class zero(mpz_class(digits), scale);
      zero.canonicalize();
      for (const unsigned width : {4U, 16U, 24U, 60U, 90U}) {
        const mpq_class w(1, mpz_class(1) << width);
        if (2 * width < bits || width + 6 < bits) {
          INFO(bits << " " << width);
          CHECK(f.has_one_zero(zero - w, zero + w));
          CHECK(f.has_one_zero(zero - w / 8, zero + w));
        }
        CHECK_FALSE(f.has_one_zero(zero + w / 8, zero + w));
        CHECK_FALSE(f.has_one_zero(zero - w, zero - w / 8));
        CHECK_FALSE(no_zero(f, zero - w, zero + w, 4000));
        if (width + 8 < bits) {
          CHECK(f.sign_at(zero + w) == 1);
          CHECK(f.sign_at(zero - w) == -1);
          CHECK(no_zero(f, zero + w, zero + 1));
          CHECK(no_zero(f, zero - 1, zero - w));
        }
        CHECK(f.has_no_zero_from(zero + 2));
        CHECK_FALSE(f.has_no_zero_from(zero - w));
        CHECK(f.has_no_zero_up_to(zero - 2));
        CHECK_FALSE(f.has_no_zero_up_to(zero + w));
      }
      if (bits < 100) CHECK(f.sign_at(zero) == 0);
    }
    // beta = 1/3 moves the zero to 3 log 2.
    const ExpSum slow = sum({{1, 0, 0, 1, 0}, {-2, 0, 0, 0, 0}}, ratio(1, 3));
    CHECK(slow.has_one_zero(2, ratio(21, 10)));
    CHECK_FALSE(slow.has_one_zero(ratio(21, 10), ratio(22, 10)));
  }
}

TEST_CASE("a double zero is neither one zero nor none") {
  // e^2q - 2 e^q + 1 = (e^q - 1)^2, and the same shifted off the dyadic numbers.
  const ExpSum at_zero = sum({{1, 0, 0, 2, 0}, {-2, 0, 0, 1, 0}, {1, 0, 0, 0, 0}});
  const ExpSum at_log3 = sum({{1, 0, 0, 2, 0}, {-6, 0, 0, 1, 0}, {9, 0, 0, 0, 0}});
  for (const auto& [f, a, b] : {std::tuple{&at_zero, mpq_class(-1), mpq_class(1)},
                                std::tuple{&at_zero, ratio(-1, 3), ratio(1, 7)},
                                std::tuple{&at_log3, mpq_class(1), ratio(6, 5)}}) {
    CHECK_FALSE(f->has_one_zero(a, b));
    CHECK_FALSE(no_zero(*f, a, b));
  }
  CHECK(no_zero(at_zero, ratio(1, 7), 3));
  CHECK(at_zero.has_no_zero_from(2));
  CHECK(at_zero.has_no_zero_up_to(-2));
  CHECK_FALSE(at_zero.has_no_zero_up_to(0));
  // A factor of its own: q e^q has its zero at 0.
  const ExpSum line = sum({{0, 1, 0, 1, 0}});
  CHECK(line.has_one_zero(ratio(-1, 5), ratio(1, 4)));
  CHECK_FALSE(line.has_no_zero_from(0));
  CHECK_FALSE(line.has_no_zero_from(-1));
  CHECK(line.has_no_zero_from(ratio(1, 1000)));
  CHECK(line.has_no_zero_up_to(ratio(-1, 1000)));
  CHECK_FALSE(line.has_no_zero_up_to(1));
}

TEST_CASE("an end that is a zero is one, of either test") {
  const ExpSum f = minus(1);
  CHECK_FALSE(no_zero(f, 0, 1));
  CHECK_FALSE(no_zero(f, -1, 0));
  CHECK_FALSE(f.has_one_zero(0, 1));
  CHECK_FALSE(f.has_one_zero(-1, 0));
  CHECK_FALSE(f.has_no_zero_from(0));
  CHECK_FALSE(f.has_no_zero_up_to(0));
}

TEST_CASE("tails: terms that lead alike, quotients that grow first, factors with a zero") {
  // e^{q} (3 e^{-1} - 1): two leads of one sign together; 3/e - 1 > 0.
  CHECK(sum({{3, 0, -1, 1, 0}, {-1, 0, 0, 1, 0}}).has_no_zero_from(-100));
  // That cancel nearly, against a lower term.
  const ExpSum near = sum({{3, 0, -1, 1, 0}, {-1, 0, 0, 1, 0}, {-5, 0, 0, 0, 0}});
  CHECK(near.has_no_zero_from(4));                    // 0.1036 e^4 > 5
  CHECK_FALSE(near.has_no_zero_from(ratio(38, 10)));  // 0.1036 e^3.8 < 5
  // Leads with factors that are not constant are not compared.
  CHECK_FALSE(sum({{3, 1, -1, 1, 0}, {-1, 0, 0, 1, 0}}).has_no_zero_from(100));
  // q e^{-q} against 1: the quotient q e^{-q} rises up to 1, and is small before.
  const ExpSum rising = sum({{-3, 0, 0, 0, 0}, {0, 10, 0, -1, 0}});
  CHECK_FALSE(rising.has_no_zero_from(ratio(1, 10)));  // 10/e > 3
  CHECK(rising.has_one_zero(ratio(3, 10), ratio(6, 10)));
  // A term of e^{-(q - 20)^2 / 2} is far from its top at 0.
  const ExpSum bump = sum({{1, 0, 0, 0, 0}, {-5, 0, -200, 20, ratio(-1, 2)}});
  CHECK(bump.sign_at(0) == 1);
  CHECK(bump.sign_at(20) == -1);
  CHECK_FALSE(bump.has_no_zero_from(0));
  CHECK_FALSE(bump.has_no_zero_from(19));
  CHECK(bump.has_no_zero_from(23));
  CHECK(bump.has_no_zero_up_to(0));
  CHECK_FALSE(bump.has_no_zero_up_to(21));
  // The factor of the lead has a zero behind.
  const ExpSum turning = sum({{-5, 1, 0, 1, 0}});
  CHECK_FALSE(turning.has_no_zero_from(4));
  CHECK_FALSE(turning.has_no_zero_from(5));
  CHECK(turning.has_no_zero_from(6));
  CHECK(turning.has_no_zero_up_to(4));
  // The factor of another term changes its sign behind.
  CHECK_FALSE(sum({{1, 0, 0, 1, 0}, {-5, 1, 0, 0, 0}}).has_no_zero_from(4));
  // Exponents beyond what is evaluated.
  CHECK(sum({{1, 0, 0, 100000, 0}, {-1, 0, 0, 0, 0}}).has_no_zero_from(1));
  CHECK_FALSE(sum({{1, 0, 0, 1, 0}, {-1, 0, 30000, 0, 0}}).has_no_zero_from(1));
}

TEST_CASE("what is proved of drawn sums is true of their values") {
  Draw draw;
  std::size_t none = 0, one = 0, tails = 0;
  for (int k = 0; k < 1500; ++k) {
    const Bits of(k % 3 == 0 ? 32 : k % 3 == 1 ? 64 : 160);
    const auto terms = drawn(draw, k % 2 == 0);
    const ExpSum f = sum(terms);
    if (f.is_zero()) continue;
    mpq_class a = draw.fraction(4), b = draw.fraction(4);
    if (b < a) std::swap(a, b);
    if (a == b) continue;
    // Signs at points, and changes of them: at least so many zeros.
    const auto scan = [&](double from, double to) {
      int changes = 0, last = 0, first = 0;
      constexpr int steps = 300;
      for (int s = 0; s <= steps; ++s) {
        const double q = from + (to - from) * s / steps;
        const auto [value, noise] = plain(terms, q);
        if (std::abs(value) <= noise || !std::isfinite(value)) continue;
        const int sign = value > 0 ? 1 : -1;
        changes += last * sign < 0;
        last = sign;
        if (first == 0) first = sign;
      }
      return std::tuple{changes, first, last};
    };
    const auto [changes, first, last] = scan(a.get_d(), b.get_d());
    if (no_zero(f, a, b, 2000)) {
      ++none;
      CHECK(changes == 0);
    }
    if (f.has_one_zero(a, b)) {
      ++one;
      CHECK(changes == 1);
    }
    for (const mpq_class& q : {a, b}) {
      const auto [value, noise] = plain(terms, q.get_d());
      if (std::abs(value) > noise) CHECK(f.sign_at(q) * (value > 0 ? 1 : -1) >= 0);
      if (f.has_no_zero_from(q)) {
        ++tails;
        CHECK(std::get<0>(scan(q.get_d(), q.get_d() + 12)) == 0);
      }
      if (f.has_no_zero_up_to(q)) {
        ++tails;
        CHECK(std::get<0>(scan(q.get_d() - 12, q.get_d())) == 0);
      }
    }
  }
  CHECK(none > 300);
  CHECK(one > 60);
  CHECK(tails > 800);
}

TEST_CASE("the work ends: cells run out, and parts narrower than a bit are given up") {
  std::size_t cells = 10;
  CHECK_FALSE(minus(1).has_no_zero(-3, ratio(1, 3), cells));
  cells = plenty;
  const Bits of(32);
  CHECK_FALSE(minus(2).has_no_zero(-3, 3, cells));
  CHECK((cells > plenty - 200));
  cells = 0;
  CHECK_FALSE(minus(1).has_no_zero(5, 6, cells));
}
