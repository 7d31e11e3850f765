// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::test {

/// Number of rounds of a randomised test: `base`, times the environment variable HEED_TEST_EFFORT.
inline int rounds(int base) {
  const char* effort = std::getenv("HEED_TEST_EFFORT");
  const int factor = effort == nullptr ? 1 : std::atoi(effort);
  return base * (factor < 1 ? 1 : factor);
}

/// Inputs that find mistakes: exponents are uniform, mantissas short or long, special values
/// frequent.
/// The seed is Catch2's (--rng-seed), so a run can be repeated or varied.
class Random {
 public:
  explicit Random(unsigned salt) : engine_(Catch::rngSeed() * 2654435761u + salt) {}
  /// Without Catch2: the same numbers in every run.
  static Random fixed(std::uint64_t seed) { return Random(std::mt19937_64(seed)); }

  long integer(long lo, long hi) { return std::uniform_int_distribution<long>(lo, hi)(engine_); }
  bool chance(int percent) { return integer(1, 100) <= percent; }
  double uniform(double lo = -1, double hi = 1) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }
  std::uint64_t bits() { return engine_(); }

  /// Working precision: 2 to 400 bits, the small ones often.
  int precision() { return static_cast<int>(chance(20) ? integer(2, 12) : integer(12, 400)); }

  /// m 2^e of either sign with |value| about 2^(+-max_exponent) at most.
  Rational dyadic(long max_exponent) {
    const long kind = integer(0, 9);
    const Rational unit = Rational::power_of_two(integer(-max_exponent, max_exponent));
    if (kind == 0) return Rational(integer(-3, 3));
    if (kind == 1) return chance(50) ? unit : -unit;
    if (kind == 2) return unit + Rational::power_of_two(-integer(1, 300)) * unit;
    if (kind == 3) return unit * Rational(integer(-9, 9), 8);
    Rational mantissa(integer(1, 1L << 53));
    for (long words = kind == 4 ? integer(1, 6) : 0; words > 0; --words)
      mantissa = mantissa * Rational::power_of_two(53) + Rational(integer(0, (1L << 53) - 1));
    while (abs(mantissa) >= Rational(1)) mantissa *= Rational::power_of_two(-53);
    return (chance(50) ? mantissa : -mantissa) * unit;
  }

  /// A single point at any working precision.
  Ball point(long max_exponent) { return Ball(dyadic(max_exponent)); }

  /// Radius 0, tiny, comparable to the midpoint, or larger than it.
  Ball ball(long max_exponent) {
    const Ball mid = point(max_exponent);
    const long kind = integer(0, 4);
    if (kind == 0) return mid;
    if (kind == 4) return mid + Ball::symmetric(point(max_exponent));
    return mid + Ball::symmetric(ldexp(mid, kind == 1 ? -integer(0, 3) : -integer(3, 300)));
  }

 private:
  explicit Random(const std::mt19937_64& engine) : engine_(engine) {}

  std::mt19937_64 engine_;
};

}  // namespace heed::test
