// SPDX-License-Identifier: Apache-2.0
#include "interval.hpp"

#include <algorithm>

#include "json.hpp"

namespace heedcheck {
namespace {

mpz_class shifted_left(const mpz_class& x, unsigned long bits) {
  mpz_class result;
  mpz_mul_2exp(result.get_mpz_t(), x.get_mpz_t(), bits);
  return result;
}

// x / 2^bits and x / y, rounded up or down.
mpz_class shifted_right(const mpz_class& x, unsigned long bits, bool up) {
  mpz_class result;
  (up ? mpz_cdiv_q_2exp : mpz_fdiv_q_2exp)(result.get_mpz_t(), x.get_mpz_t(), bits);
  return result;
}
mpz_class divided(const mpz_class& x, const mpz_class& y, bool up) {
  mpz_class result;
  (up ? mpz_cdiv_q : mpz_fdiv_q)(result.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
  return result;
}

mpz_class root(const mpz_class& x, bool up) {
  mpz_class result = sqrt(x);
  return up && result * result != x ? mpz_class(result + 1) : result;
}

// A bound of e^x in units of 2^-bits, for x >= 0 in the same units: the series at x / 2^s <= 2^-8,
// with further bits, then s squarings. All terms are positive, so one direction of rounding serves.
mpz_class exponential_of_positive(const mpz_class& x, unsigned long bits, bool up) {
  const mpz_class whole = shifted_right(x, bits, false);
  require_proof(mpz_sizeinbase(whole.get_mpz_t(), 2) <= 16, "a score is too large to be evaluated");
  const unsigned long s = mpz_sizeinbase(whole.get_mpz_t(), 2) + 8, more = 2 * s + 32;
  const unsigned long wide = bits + more;
  const mpz_class t = shifted_left(x, more - s);
  mpz_class sum = shifted_left(1, wide), term = sum;
  for (unsigned long k = 1; term > (up ? 1 : 0); ++k) {
    term = divided(shifted_right(term * t, wide, up), k, up);
    sum += term;
  }
  if (up) ++sum;  // the terms left out: less than the last one, which is at most 1 unit
  for (unsigned long k = 0; k < s; ++k) sum = shifted_right(sum * sum, wide, up);
  return shifted_right(sum, more, up);
}

mpz_class exponential_bound(const mpz_class& x, unsigned long bits, bool up) {
  if (x >= 0) return exponential_of_positive(x, bits, up);
  const mpz_class size = -x;
  if (size >= shifted_left(bits, bits)) return up ? 1 : 0;  // e^-bits < 2^-bits
  return divided(shifted_left(1, 2 * bits), exponential_of_positive(size, bits, !up), up);
}

}  // namespace

unsigned long Interval::bits_ = 128;

Interval::Interval(const mpq_class& x) {
  const mpz_class num = shifted_left(x.get_num(), bits_);
  lo_ = divided(num, x.get_den(), false);
  hi_ = divided(num, x.get_den(), true);
}

Interval Interval::between(mpz_class lo, mpz_class hi) {
  Interval x;
  x.lo_ = std::move(lo);
  x.hi_ = std::move(hi);
  return x;
}

mpq_class Interval::lower() const {
  mpq_class x(lo_, shifted_left(1, bits_));
  x.canonicalize();
  return x;
}

mpq_class Interval::upper() const { return -(-*this).lower(); }

Interval Interval::magnitude() const { return between(0, std::max<mpz_class>(abs(lo_), abs(hi_))); }

Interval& Interval::operator+=(const Interval& x) {
  lo_ += x.lo_;
  hi_ += x.hi_;
  return *this;
}

Interval& Interval::operator-=(const Interval& x) {
  const mpz_class lo = x.lo_;  // x may be *this
  lo_ -= x.hi_;
  hi_ -= lo;
  return *this;
}

Interval operator*(const Interval& x, const Interval& y) {
  if (x.is_zero() || y.is_zero()) return {};
  const mpz_class a = x.lo_ * y.lo_, b = x.lo_ * y.hi_, c = x.hi_ * y.lo_, d = x.hi_ * y.hi_;
  return Interval::between(shifted_right(std::min({a, b, c, d}), Interval::bits_, false),
                           shifted_right(std::max({a, b, c, d}), Interval::bits_, true));
}

Interval square(const Interval& x) {
  const mpz_class a = abs(x.lo_), b = abs(x.hi_);
  const mpz_class least = x.lo_ <= 0 && x.hi_ >= 0 ? mpz_class(0) : std::min(a, b);
  const mpz_class most = std::max(a, b);
  return Interval::between(shifted_right(least * least, Interval::bits_, false),
                           shifted_right(most * most, Interval::bits_, true));
}

Interval reciprocal(const Interval& x) {
  require_proof(x.lo_ > 0, "a denominator is not proved positive");
  const mpz_class one = shifted_left(1, 2 * Interval::bits_);
  return Interval::between(divided(one, x.hi_, false), divided(one, x.lo_, true));
}

Interval square_root(const Interval& x) {
  require_proof(x.lo_ >= 0, "a square root of a number that is not proved to be >= 0");
  return Interval::between(root(shifted_left(x.lo_, Interval::bits_), false),
                           root(shifted_left(x.hi_, Interval::bits_), true));
}

Interval exponential(const Interval& x) {
  return Interval::between(exponential_bound(x.lo_, Interval::bits_, false),
                           exponential_bound(x.hi_, Interval::bits_, true));
}

}  // namespace heedcheck
