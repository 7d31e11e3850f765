// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmpxx.h>

namespace heedcheck {

// Intervals in fixed point: all x with lo <= x 2^bits <= hi, lo and hi integers, the number of bits
// the same for all. Every operation gives an interval that contains the exact results for all numbers
// of its arguments, by integer arithmetic; sums and differences are exact.
// Theorem I of proofs-notes/certificates.md, section 7.5.
class Interval {
 public:
  Interval() = default;                                 // 0
  Interval(const mpq_class& x);                         // the narrowest around x
  static Interval between(mpz_class lo, mpz_class hi);  // in units of 2^-bits
  static void set_bits(unsigned long bits) { bits_ = bits; }

  const mpz_class& lo() const { return lo_; }  // in units of 2^-bits
  const mpz_class& hi() const { return hi_; }
  mpq_class lower() const;
  mpq_class upper() const;
  bool is_zero() const { return lo_ == 0 && hi_ == 0; }
  Interval magnitude() const;  // [0, largest absolute value]

  Interval operator-() const { return between(-hi_, -lo_); }
  Interval& operator+=(const Interval& x);
  Interval& operator-=(const Interval& x);

  friend Interval operator*(const Interval& x, const Interval& y);
  friend Interval square(const Interval& x);
  // 1 / x and square root; x > 0, x >= 0.
  friend Interval reciprocal(const Interval& x);
  friend Interval square_root(const Interval& x);
  // Throws Invalid where e^x has more than 2^17 bits before the point.
  friend Interval exponential(const Interval& x);

 private:
  mpz_class lo_ = 0, hi_ = 0;
  static unsigned long bits_;
};

inline Interval operator+(Interval x, const Interval& y) { return x += y; }
inline Interval operator-(Interval x, const Interval& y) { return x -= y; }
inline bool is_zero(const Interval& x) { return x.is_zero(); }
inline bool is_positive(const Interval& x) { return x.lo() > 0; }
inline bool is_negative(const Interval& x) { return x.hi() < 0; }
// Every number of x is less than every number of y.
inline bool is_less(const Interval& x, const Interval& y) { return x.hi() < y.lo(); }

}  // namespace heedcheck
