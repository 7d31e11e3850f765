// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "interval.hpp"

namespace heedcheck {

// All v that forms speak of: |v| <= half[0] for a ball (all entries the same), |v_k| <= half[k] for a
// box; in units, rounded up.
struct FormDomain {
  bool ball = false;
  std::vector<mpz_class> half;
};

// A function x around a point c, to first order with a bound of the rest:
//   |x(c + s v) - x(c) - s slope.v| <= s^2 rest    for all v of the domain and 0 <= s <= 1,
// with intervals that contain x(c) and its gradient. Operations keep this true: section 7.5, F.
class Form {
 public:
  Form() = default;
  explicit Form(const mpq_class& constant) : value_(constant) {}
  explicit Form(Interval constant) : value_(std::move(constant)) {}
  // Entry k of c + v, where `centre` is that of c.
  static Form coordinate(const mpq_class& centre, std::size_t k);
  static void set_domain(FormDomain domain) { domain_ = std::move(domain); }
  static const FormDomain& domain() { return domain_; }

  const Interval& value() const { return value_; }
  const std::vector<Interval>& slope() const { return slope_; }  // empty: 0
  const mpz_class& rest() const { return rest_; }                // in units
  bool is_zero() const { return value_.is_zero() && slope_.empty() && rest_ == 0; }
  // Upper bound of |slope.v|, in units.
  mpz_class reach() const;

  Form& operator+=(const Form& x);
  Form& operator-=(const Form& x) { return *this += x.times(Interval(mpq_class(-1))); }
  friend Form operator*(const Form& x, const Form& y);
  // 1 / x for x > 0.
  friend Form reciprocal(const Form& x);
  friend Form exponential(const Form& x);

 private:
  Form times(const Interval& factor) const;
  bool is_constant() const { return slope_.empty() && rest_ == 0; }

  Interval value_;
  std::vector<Interval> slope_;
  mpz_class rest_ = 0;
  static FormDomain domain_;
};

inline Form operator+(Form x, const Form& y) { return x += y; }
inline Form operator-(Form x, const Form& y) { return x -= y; }
inline Form square(const Form& x) { return x * x; }
inline bool is_zero(const Form& x) { return x.is_zero(); }

// a b for a, b >= 0 in units, rounded up.
mpz_class product_up(const mpz_class& a, const mpz_class& b);

}  // namespace heedcheck
