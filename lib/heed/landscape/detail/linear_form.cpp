// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/linear_form.hpp"

#include <algorithm>
#include <cassert>

namespace heed::detail {
namespace {

thread_local const FormDomain* current = nullptr;

DoubleBall up(const DoubleBall& x) { return DoubleBall(x.upper()); }
DoubleBall size(const DoubleBall& x) { return up(abs(x)); }

// e^R - 1 - R for R >= 0, upper bound.
DoubleBall beyond_linear(const DoubleBall& R) {
  if (R.mid() < 0x1p-10) return up(square(R) / DoubleBall(2) * exp(R));
  return up(expm1(R) - R);
}

}  // namespace

FormDomain FormDomain::ball(std::size_t dimension, const Rational& radius) {
  FormDomain d;
  d.is_ball_ = true;
  d.half_.assign(dimension, up(DoubleBall(radius)));
  return d;
}

FormDomain FormDomain::box(const std::vector<Rational>& half) {
  FormDomain d;
  for (const Rational& h : half) d.half_.push_back(up(DoubleBall(h)));
  return d;
}

DoubleBall FormDomain::reach(const std::vector<DoubleBall>& slope) const {
  if (slope.empty()) return 0;
  DoubleBall sum;
  if (is_ball_) {
    // Scaled, as squares of exponentials overflow.
    long e = approx::exponent(DoubleBall());
    for (const DoubleBall& x : slope) e = std::max(e, approx::exponent(x));
    if (e == approx::exponent(DoubleBall())) return 0;
    for (const DoubleBall& x : slope) sum += square(ldexp(x, -e));
    return up(ldexp(sqrt_nonnegative(sum), e) * half_.front());
  }
  for (std::size_t k = 0; k < slope.size(); ++k) sum += abs(slope[k]) * half_[k];
  return up(sum);
}

FormScope::FormScope(const FormDomain& domain) : before_(current) { current = &domain; }
FormScope::~FormScope() { current = before_; }
const FormDomain& FormScope::domain() {
  assert(current != nullptr);
  return *current;
}

LinearForm LinearForm::coordinate(const DoubleBall& centre, std::size_t k) {
  LinearForm x(centre);
  x.slope_.resize(FormScope::domain().dimension());
  x.slope_[k] = 1;
  return x;
}

bool LinearForm::is_finite() const {
  for (const DoubleBall& x : slope_)
    if (!x.is_finite()) return false;
  return value_.is_finite() && rest_.is_finite();
}

LinearForm& LinearForm::operator+=(const LinearForm& x) {
  value_ += x.value_;
  if (slope_.empty())
    slope_ = x.slope_;
  else if (!x.slope_.empty())
    for (std::size_t k = 0; k < slope_.size(); ++k) slope_[k] += x.slope_[k];
  rest_ = up(rest_ + x.rest_);
  return *this;
}

LinearForm& LinearForm::operator-=(const LinearForm& x) { return *this += -x; }

LinearForm LinearForm::scaled(const DoubleBall& factor) const {
  LinearForm y(value_ * factor);
  y.slope_ = slope_;
  for (DoubleBall& x : y.slope_) x *= factor;
  y.rest_ = up(rest_ * size(factor));
  return y;
}

LinearForm operator*(const LinearForm& x, const LinearForm& y) {
  if (x.is_constant())
    return x.value_.is_exact() && x.value_.mid() == 0 && y.is_finite() ? LinearForm()
                                                                       : y.scaled(x.value_);
  if (y.is_constant()) return y * x;
  LinearForm z = x.scaled(y.value_) + y.scaled(x.value_);
  z.value_ = x.value_ * y.value_;
  const DoubleBall X = x.reach(), Y = y.reach();
  z.rest_ = up(X * Y + x.rest_ * (size(y.value_) + Y + y.rest_) + y.rest_ * (size(x.value_) + X));
  return z;
}

// With everything relative to x: squares of large values overflow.
LinearForm LinearForm::reciprocal() const {
  const DoubleBall inverse = DoubleBall(1) / value_;
  LinearForm z = scaled(inverse).scaled(-inverse);
  z.value_ = inverse;
  const DoubleBall ratio = up((reach() + rest_) * size(inverse)), left = DoubleBall(1) - ratio;
  if (!certainly(positive(left))) {
    z.rest_ = DoubleBall::unknown();
    return z;
  }
  z.rest_ = up(size(inverse) * (rest_ * size(inverse) + square(ratio) / left));
  return z;
}

LinearForm operator/(const LinearForm& x, const LinearForm& y) {
  if (y.is_constant()) return x.scaled(DoubleBall(1) / y.value_);
  return x * y.reciprocal();
}

LinearForm exp(const LinearForm& x) {
  const DoubleBall e = exp(x.value_);
  if (x.is_constant()) return LinearForm(e);
  LinearForm z = x.scaled(e);
  z.value_ = e;
  z.rest_ = up(size(e) * (x.rest_ + beyond_linear(up(x.reach() + x.rest_))));
  return z;
}

}  // namespace heed::detail
