// SPDX-License-Identifier: Apache-2.0
#include "checks/support/numbers.hpp"

#include <array>
#include <cmath>

namespace heed::checks {
namespace {

Rational scaled_double(Source& s, int exponent) {
  return Rational(std::ldexp(1 + s.unit(), 0)) * Rational(s.sign()) *
         Rational::power_of_two(exponent);
}

long power_of_ten(int exponent) {
  long p = 1;
  while (exponent-- > 0) p *= 10;
  return p;
}

// Exponent e with 2^e <= |q| < 2^(e+2), q != 0.
long binary_exponent(const Rational& q) {
  return static_cast<long>(mpz_sizeinbase(mpq_numref(q.raw()), 2)) -
         static_cast<long>(mpz_sizeinbase(mpq_denref(q.raw()), 2)) - 1;
}

}  // namespace

const char* to_string(NumberKind kind) {
  static constexpr std::array names{"ordinary",  "integer",   "dyadic",     "decimal",
                                    "fraction",  "power",     "neighbours", "wide",
                                    "very_wide", "subnormal", "mixed"};
  return names[static_cast<std::size_t>(kind)];
}

NumberKind draw_number_kind(Source& s) {
  using K = NumberKind;
  return s.weighted<K>({{26, K::ordinary},
                        {16, K::integer},
                        {12, K::dyadic},
                        {12, K::decimal},
                        {7, K::fraction},
                        {5, K::power},
                        {4, K::neighbours},
                        {6, K::wide},
                        {1, K::very_wide},
                        {3, K::subnormal},
                        {5, K::mixed}});
}

Rational draw_number(Source& s, NumberKind kind) {
  if (kind != NumberKind::integer && s.chance(4)) return 0;
  switch (kind) {
    case NumberKind::ordinary:
      return scaled_double(s, s.between(-3, 1));
    case NumberKind::integer:
      return s.between(-5, 5);
    case NumberKind::dyadic:
      return Rational(s.between(-300, 300)) * Rational::power_of_two(-s.between(0, 8));
    case NumberKind::decimal:
      return {s.between(-50, 50), power_of_ten(s.between(1, 3))};
    case NumberKind::fraction:
      return {s.between(-9, 9), std::array{3L, 6L, 7L, 9L}[s.index(4)]};
    case NumberKind::power:
      return Rational(s.sign()) * Rational::power_of_two(s.between(-30, 30));
    case NumberKind::neighbours:
      return Rational(1) + Rational(s.between(-3, 3)) * Rational::power_of_two(-52);
    case NumberKind::wide:
      return scaled_double(s, s.between(-60, 60));
    case NumberKind::very_wide:
      return scaled_double(s, s.between(-400, 400));
    case NumberKind::subnormal:
      return Rational(static_cast<long>(s.bits() >> s.between(12, 62)) * s.sign()) *
             Rational::power_of_two(-1074);
    case NumberKind::mixed:
      break;
  }
  return draw_number(s, draw_number_kind(s));
}

long complexity(const Rational& q) {
  if (q == Rational(0)) return 0;
  if (q == Rational(1)) return 1;
  if (q == Rational(-1)) return 2;
  if (q == Rational(1, 2)) return 3;
  if (q == Rational(-1, 2)) return 4;
  return 5 + 8 * static_cast<long>(q.to_decimal_or_fraction().size()) + (q.sign() < 0 ? 1 : 0) +
         std::labs(binary_exponent(q));
}

Rational round_to_bits(const Rational& q, int bits) {
  if (q.sign() == 0) return q;
  const Rational unit = Rational::power_of_two(binary_exponent(q) + 1 - bits);
  const Rational scaled = q / unit;
  Rational r;
  mpz_tdiv_q(mpq_numref(r.raw()), mpq_numref(scaled.raw()), mpq_denref(scaled.raw()));
  return r * unit;
}

std::vector<Rational> simpler_numbers(const Rational& q) {
  std::vector<Rational> candidates{0, 1, -1, Rational(1, 2), Rational(-1, 2), abs(q)};
  for (const int bits : {1, 2, 4, 8, 16, 32, 53, 106}) candidates.push_back(round_to_bits(q, bits));
  candidates.push_back(q / Rational(2));
  candidates.push_back(q * Rational(2));
  const long limit = complexity(q);
  std::vector<Rational> simpler;
  for (Rational& c : candidates)
    if (complexity(c) < limit) simpler.push_back(std::move(c));
  return simpler;
}

}  // namespace heed::checks
