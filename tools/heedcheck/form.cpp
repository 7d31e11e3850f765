// SPDX-License-Identifier: Apache-2.0
#include "form.hpp"

#include "json.hpp"

namespace heedcheck {
namespace {

Interval units(const mpz_class& x) { return Interval::between(x, x); }
mpz_class size(const Interval& x) { return x.magnitude().hi(); }

// x / y for y > 0.
Interval quotient(const Interval& x, const Interval& y) {
  const mpz_class unit = Interval(mpq_class(1)).lo();
  const mpz_class low = x.lo() * unit, high = x.hi() * unit;
  mpz_class lo, hi;
  mpz_fdiv_q(lo.get_mpz_t(), low.get_mpz_t(), (low < 0 ? y.lo() : y.hi()).get_mpz_t());
  mpz_cdiv_q(hi.get_mpz_t(), high.get_mpz_t(), (high < 0 ? y.hi() : y.lo()).get_mpz_t());
  return Interval::between(lo, hi);
}

}  // namespace

FormDomain Form::domain_;

mpz_class product_up(const mpz_class& a, const mpz_class& b) { return (units(a) * units(b)).hi(); }

Form Form::coordinate(const mpq_class& centre, std::size_t k) {
  Form x(centre);
  x.slope_.resize(domain_.half.size());
  x.slope_[k] = Interval(mpq_class(1));
  return x;
}

mpz_class Form::reach() const {
  if (slope_.empty()) return 0;
  Interval sum;
  if (domain_.ball) {
    for (const Interval& x : slope_) sum += square(x);
    return product_up(square_root(units(sum.hi())).hi(), domain_.half.front());
  }
  mpz_class total = 0;
  for (std::size_t k = 0; k < slope_.size(); ++k) {
    if (!slope_[k].is_zero()) total += product_up(size(slope_[k]), domain_.half[k]);
  }
  return total;
}

Form& Form::operator+=(const Form& x) {
  value_ += x.value_;
  if (slope_.empty()) {
    slope_ = x.slope_;
  } else {
    for (std::size_t k = 0; k < x.slope_.size(); ++k) slope_[k] += x.slope_[k];
  }
  rest_ += x.rest_;
  return *this;
}

Form Form::times(const Interval& factor) const {
  Form y(value_ * factor);
  y.slope_ = slope_;
  for (Interval& x : y.slope_) x = x * factor;
  y.rest_ = product_up(rest_, size(factor));
  return y;
}

Form operator*(const Form& x, const Form& y) {
  if (x.is_zero() || y.is_zero()) return {};
  if (x.is_constant()) return y.times(x.value_);
  if (y.is_constant()) return x.times(y.value_);
  Form z = x.times(y.value_);
  z += y.times(x.value_);
  z.value_ = x.value_ * y.value_;
  const mpz_class X = x.reach(), Y = y.reach();
  z.rest_ = product_up(X, Y) + product_up(x.rest_, size(y.value_) + Y + y.rest_) +
            product_up(y.rest_, size(x.value_) + X);
  return z;
}

// Quotients of integers, as the inverse of a large number may be less than a unit.
Form reciprocal(const Form& x) {
  const Interval inverse = reciprocal(x.value_);
  if (x.is_constant()) return Form(inverse);
  Form z = x;
  for (Interval& slope : z.slope_) slope = -(quotient(slope, x.value_) * inverse);
  z.value_ = inverse;
  const mpz_class& least = x.value_.lo();
  const Interval ratio = units(quotient(units(x.reach() + x.rest_), units(least)).hi()),
                 left = Interval(mpq_class(1)) - ratio;
  require_proof(is_positive(left), "a denominator is not proved positive");
  z.rest_ = product_up(inverse.hi(), quotient(units(x.rest_), units(least)).hi() +
                                         quotient(square(ratio), left).hi());
  return z;
}

Form exponential(const Form& x) {
  const Interval e = exponential(x.value_);
  if (x.is_constant()) return Form(e);
  const mpz_class R = x.reach() + x.rest_;
  const Interval beyond = exponential(units(R)) - Interval(mpq_class(1)) - units(R);
  Form z = x.times(e);
  z.value_ = e;
  z.rest_ = product_up(e.hi(), x.rest_ + beyond.hi());
  return z;
}

}  // namespace heedcheck
