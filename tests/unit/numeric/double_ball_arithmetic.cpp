// SPDX-License-Identifier: Apache-2.0
#include <cfenv>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "unit/numeric/double_ball_reference.hpp"

using heed::Ball;
using heed::DoubleBall;
using heed::Rational;
using namespace heed::test;

namespace {

/// Sets the rounding mode, and on x86 whether subnormals are flushed, until the end of the scope.
class Environment {
 public:
  Environment(int rounding, bool flush) : before_(std::fegetround()) {
#if defined(__SSE2__)
    control_ = _mm_getcsr();
    if (flush) _mm_setcsr(control_ | 0x8040);
#else
    (void)flush;
#endif
    std::fesetround(rounding);
  }
  ~Environment() {
    std::fesetround(before_);
#if defined(__SSE2__)
    _mm_setcsr(control_);
#endif
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  int before_;
  unsigned control_ = 0;
};

using Operation = DoubleBall (*)(const DoubleBall&, const DoubleBall&);

// Called through a pointer that the compiler cannot see through, so that nothing moves across a change
// of the rounding mode.
DoubleBall call(Operation f, const DoubleBall& a, const DoubleBall& b, int rounding, bool flush) {
  volatile Operation hidden = f;
  const Environment environment(rounding, flush);
  return hidden(a, b);
}

struct Case {
  const char* name;
  Operation approximate;
  Rational (*exact)(const Rational&, const Rational&);
};

const std::vector<Case>& cases() {
  using D = const DoubleBall&;
  using Q = const Rational&;
  static const std::vector<Case> all{
      {"+", [](D a, D b) { return a + b; }, [](Q a, Q b) { return a + b; }},
      {"-", [](D a, D b) { return a - b; }, [](Q a, Q b) { return a - b; }},
      {"*", [](D a, D b) { return a * b; }, [](Q a, Q b) { return a * b; }},
      {"/", [](D a, D b) { return a / b; }, [](Q a, Q b) { return a / b; }},
      {"min", [](D a, D b) { return min(a, b); }, [](Q a, Q b) { return a < b ? a : b; }},
      {"max", [](D a, D b) { return max(a, b); }, [](Q a, Q b) { return a < b ? b : a; }},
      {"abs", [](D a, D) { return abs(a); }, [](Q a, Q) { return abs(a); }},
      {"square", [](D a, D) { return square(a); }, [](Q a, Q) { return a * a; }},
      {"ldexp", [](D a, D) { return ldexp(a, -37); },
       [](Q a, Q) { return a * Rational::power_of_two(-37); }},
      {"a b + b b - 3 a by dot",
       [](D a, D b) {
         const DoubleBall x[] = {a, b, DoubleBall(-3)}, y[] = {b, b, a};
         return dot(3, x, 1, y, 1);
       },
       [](Q a, Q b) { return a * b + b * b - Rational(3) * a; }},
  };
  return all;
}

constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

void contained(long max_exponent, int base) {
  Random random(7101 + static_cast<unsigned>(max_exponent));
  long finite = 0, all = 0;
  for (int round = rounds(base); round > 0; --round) {
    const DoubleBall a = random_double_ball(random, max_exponent),
                     b = random.chance(10) ? -a : random_double_ball(random, max_exponent);
    if (!a.is_finite() || !b.is_finite()) continue;
    for (const Case& c : cases())
      for (const int mode : modes)
        for (const bool flush : {false, true}) {
          const DoubleBall r = call(c.approximate, a, b, mode, flush);
          ++all;
          if (!is_well_formed(r))
            FAIL(c.name << " of " << show(a) << ", " << show(b) << ": " << show(r));
          if (!r.is_finite()) continue;
          ++finite;
          for (const long j : {-4, 1, 4})
            for (const long k : {-4, -1, 4}) {
              const Rational x = point_of(a, j), y = point_of(b, k);
              if (c.name[0] == '/' && y.sign() == 0) FAIL("finite quotient by a ball with 0");
              if (!r.contains(c.exact(x, y)))
                FAIL(c.name << " of " << show(a) << ", " << show(b) << " in mode " << mode << flush
                            << ": " << show(r));
            }
        }
  }
  CHECK(finite > all / 2);
}

}  // namespace

TEST_CASE("DoubleBall contains exact results in every rounding mode, with and without subnormals") {
  contained(60, 300);
}

TEST_CASE("DoubleBall contains exact results up to the ends of the range") { contained(1080, 300); }

TEST_CASE("DoubleBall is as narrow as a double: points") {
  Random random(7102);
  for (int round = rounds(2000); round > 0; --round) {
    const DoubleBall a = random.dyadic(200).nearest_double(),
                     b = random.dyadic(200).nearest_double();
    for (const Case& c : cases()) {
      if (c.name[0] == '/' && b.mid() == 0) continue;
      const DoubleBall r = c.approximate(a, b);
      const bool sum = c.name[0] == 'a' && c.name[1] == ' ';
      const double scale =
          sum ? std::fabs(a.mid() * b.mid()) + b.mid() * b.mid() + std::fabs(3 * a.mid())
              : std::fabs(r.mid());
      if (!(r.rad() <= 8 * DoubleBall::unit * scale + 0x1p-1015))
        FAIL(c.name << " of " << show(a) << ", " << show(b) << ": " << show(r));
    }
  }
}

TEST_CASE("DoubleBall is as narrow as the exact range: balls") {
  Random random(7103);
  for (int round = rounds(2000); round > 0; --round) {
    const auto narrow = [&] {
      const double mid = random.dyadic(100).nearest_double();
      return DoubleBall::enclose(
          mid, std::fabs(mid) * std::ldexp(1.0, -static_cast<int>(random.integer(2, 60))));
    };
    const DoubleBall a = narrow(), b = narrow();
    for (const Case& c : cases()) {
      if (c.name[0] == '/' && b.contains_zero()) continue;
      const DoubleBall r = c.approximate(a, b);
      Rational low = c.exact(point_of(a, 4), point_of(b, 4)), high = low;
      for (const long j : {-4, 4})
        for (const long k : {-4, 4}) {
          const Rational v = c.exact(point_of(a, j), point_of(b, k));
          if (v < low) low = v;
          if (high < v) high = v;
        }
      const bool sum = c.name[0] == 'a' && c.name[1] == ' ';
      // In the sum of products a and b occur more than once.
      const Rational size_a = abs(Rational(a.mid())) + Rational(a.rad()),
                     size_b = abs(Rational(b.mid())) + Rational(b.rad());
      const Rational scale =
          sum ? size_b * (size_a + size_b) + Rational(3) * size_a : abs(Rational(r.mid()));
      const Rational allowed = sum ? size_b * Rational(a.rad()) +
                                         (size_a + Rational(2) * size_b) * Rational(b.rad()) +
                                         Rational(3) * Rational(a.rad())
                                   : high - low;
      if (Rational(r.rad()) >
          allowed + scale * Rational(16 * DoubleBall::unit) + Rational::power_of_two(-1015))
        FAIL(c.name << " of " << show(a) << ", " << show(b) << ": " << show(r));
    }
  }
}

TEST_CASE("dot of DoubleBall: strides, lengths, exact zeros, huge and tiny products") {
  Random random(7104);
  for (int round = rounds(300); round > 0; --round) {
    const auto n = static_cast<std::size_t>(random.integer(0, 40));
    const auto step = static_cast<std::size_t>(random.integer(1, 3));
    const long exponent = random.chance(30) ? 540 : 40;
    std::vector<DoubleBall> a(n * step + 1), b(n * step + 1);
    for (DoubleBall& x : a) x = random_double_ball(random, exponent);
    for (DoubleBall& x : b) x = random_double_ball(random, exponent);
    const DoubleBall r = dot(n, a.data(), step, b.data(), step);
    if (!is_well_formed(r)) FAIL(show(r));
    if (!r.is_finite()) continue;
    for (const long k : {-4, 0, 4}) {
      Rational sum;
      for (std::size_t i = 0; i < n; ++i)
        sum += point_of(a[i * step], k) * point_of(b[i * step], k);
      if (!r.contains(sum)) FAIL("dot of length " << n << ": " << show(r));
    }
  }
  const DoubleBall zeros[] = {0, 0, 0}, values[] = {1.5, DoubleBall::enclose(2, 1), -3};
  CHECK(dot(3, zeros, 1, values, 1).is_exact());
  CHECK(dot(3, zeros, 1, values, 1).mid() == 0);
  CHECK(dot(0, values, 1, values, 1).is_exact());
  const DoubleBall least[] = {0x1p-600, 0x1p-600};
  CHECK_FALSE(dot(2, least, 1, least, 1).is_exact());
  CHECK(dot(2, least, 1, least, 1).contains(Rational::power_of_two(-1199)));
  const DoubleBall large[] = {0x1p600, 0x1p600}, opposite[] = {0x1p600, -0x1p600};
  CHECK_FALSE(dot(2, large, 1, opposite, 1).is_finite());
}
