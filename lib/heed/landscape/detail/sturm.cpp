// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/sturm.hpp"

#include <algorithm>

namespace heed::detail {
namespace {

// A positive multiple of -(a mod b).
Polynomial negative_remainder(const Polynomial& a, const Polynomial& b) {
  Polynomial r;
  ulong scalings = 0;
  fmpz_poly_pseudo_rem(r.raw(), &scalings, a.raw(), b.raw());
  // lead(b)^scalings a = q b + r
  if (b.leading_sign() > 0 || scalings % 2 == 0) fmpz_poly_neg(r.raw(), r.raw());
  r.make_primitive();
  return r;
}

// k with every root of modulus below 2^k: 1 + max |a_i| / |a_n| (Cauchy).
long root_exponent(const Polynomial& p) {
  const fmpz* lead = fmpz_poly_lead(p.raw());
  long most = 1;
  for (long k = 0; k < p.degree(); ++k) {
    const fmpz* c = p.raw()->coeffs + k;
    const long bits = static_cast<long>(fmpz_bits(c)) - static_cast<long>(fmpz_bits(lead)) + 1;
    most = std::max(most, bits + 1);
  }
  return most;
}

Polynomial reversed(const Polynomial& p) {
  Polynomial r;
  fmpz_poly_reverse(r.raw(), p.raw(), p.degree() + 1);
  return r;
}

// floor(log2 u), u > 0.
long exponent_of(const Rational& u) {
  const long bits = static_cast<long>(mpz_sizeinbase(mpq_numref(u.raw()), 2)) -
                    static_cast<long>(mpz_sizeinbase(mpq_denref(u.raw()), 2));
  return Rational::power_of_two(bits) <= u ? bits : bits - 1;
}

// Between a and b, by the exponents if they are far apart; not a root.
Rational split(const Polynomial& p, const Rational& a, const Rational& b) {
  const long low = exponent_of(a), high = exponent_of(b);
  if (high - low >= 3) {
    const Rational middle = Rational::power_of_two((low + high) / 2);
    if (p.sign_at(middle) != 0) return middle;
  }
  Rational at = (a + b) / Rational(2);
  while (p.sign_at(at) == 0) at = (a + Rational(3) * at) / Rational(4);
  return at;
}

void isolate(const Polynomial& p, const SturmSequence& sturm, const Rational& a, const Rational& b,
             long count, std::vector<RootInterval>& out) {
  if (count == 0) return;
  if (count == 1) {
    out.push_back({a, b, p.sign_at(a)});
    return;
  }
  const Rational middle = split(p, a, b);
  const long left = sturm.count(a, middle);
  isolate(p, sturm, a, middle, left, out);
  isolate(p, sturm, middle, b, count - left, out);
}

}  // namespace

SturmSequence::SturmSequence(const Polynomial& p) {
  sequence_.push_back(p);
  Polynomial next = p.derivative();
  next.make_primitive();
  while (!next.is_zero()) {
    sequence_.push_back(next);
    if (next.degree() == 0) break;
    next = negative_remainder(sequence_[sequence_.size() - 2], sequence_.back());
  }
}

long SturmSequence::variations(const Rational& u) const {
  long changes = 0;
  int last = 0;
  for (const Polynomial& p : sequence_) {
    const int sign = p.sign_at(u);
    if (sign == 0) continue;
    if (last != 0 && sign != last) ++changes;
    last = sign;
  }
  return changes;
}

long SturmSequence::count(const Rational& a, const Rational& b) const {
  return variations(a) - variations(b);
}

std::vector<RootInterval> positive_roots(const Polynomial& p) {
  std::vector<RootInterval> roots;
  if (p.degree() < 1) return roots;
  const Rational hi = Rational::power_of_two(root_exponent(p));
  const Rational lo = Rational::power_of_two(-root_exponent(reversed(p)));
  const SturmSequence sturm(p);
  isolate(p, sturm, lo, hi, sturm.count(lo, hi), roots);
  return roots;
}

}  // namespace heed::detail
