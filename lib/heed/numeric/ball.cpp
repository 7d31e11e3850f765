// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/ball.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

Ball::Ball() noexcept { arb_init(arb(*this)); }
Ball::Ball(int value) noexcept : Ball(static_cast<long>(value)) {}
Ball::Ball(long value) noexcept : Ball() { arb_set_si(arb(*this), value); }
Ball::Ball(double value) noexcept : Ball() {
  constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & fraction_mask;
  if ((bits >> 52 & 0x7ff) != 0 || fraction == 0) {
    arb_set_d(arb(*this), value);
    return;
  }
  // Subnormal: arb_set_d would compute with it, and the processor may take it for 0.
  arb_set_ui(arb(*this), fraction);
  arb_mul_2exp_si(arb(*this), arb(*this), -1074);
  if (bits >> 63 != 0) arb_neg(arb(*this), arb(*this));
}

Ball::Ball(const Rational& value) : Ball() {
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_mpq(q, value.raw());
  if (value.is_dyadic()) {
    // Kept exact at any length: differences of inputs then lose nothing.
    arb_set_fmpz(arb(*this), fmpq_numref(q));
    const auto twos = static_cast<slong>(fmpz_val2(fmpq_denref(q)));
    arb_mul_2exp_si(arb(*this), arb(*this), -twos);
  } else {
    arb_set_fmpq(arb(*this), q, working_precision());
  }
  fmpq_clear(q);
}

Ball::Ball(const Ball& other) : Ball() { arb_set(arb(*this), arb(other)); }
Ball::Ball(Ball&& other) noexcept : Ball() { arb_swap(arb(*this), arb(other)); }

Ball& Ball::operator=(const Ball& other) {
  arb_set(arb(*this), arb(other));
  return *this;
}

Ball& Ball::operator=(Ball&& other) noexcept {
  arb_swap(arb(*this), arb(other));
  return *this;
}

Ball::~Ball() { arb_clear(arb(*this)); }

Ball Ball::hull(const Ball& a, const Ball& b) {
  Ball r;
  arb_union(arb(r), arb(a), arb(b), working_precision());
  return r;
}

Ball Ball::symmetric(const Ball& radius) {
  Ball r;
  arb_get_mag(arb_radref(arb(r)), arb(radius));
  return r;
}

Ball Ball::pi() {
  Ball r;
  arb_const_pi(arb(r), working_precision());
  return r;
}

Ball& Ball::operator+=(const Ball& other) {
  arb_add(arb(*this), arb(*this), arb(other), working_precision());
  return *this;
}
Ball& Ball::operator-=(const Ball& other) {
  arb_sub(arb(*this), arb(*this), arb(other), working_precision());
  return *this;
}
Ball& Ball::operator*=(const Ball& other) {
  arb_mul(arb(*this), arb(*this), arb(other), working_precision());
  return *this;
}
Ball& Ball::operator/=(const Ball& other) {
  arb_div(arb(*this), arb(*this), arb(other), working_precision());
  return *this;
}

Ball operator+(const Ball& a, const Ball& b) {
  Ball r;
  arb_add(arb(r), arb(a), arb(b), working_precision());
  return r;
}
Ball operator-(const Ball& a, const Ball& b) {
  Ball r;
  arb_sub(arb(r), arb(a), arb(b), working_precision());
  return r;
}
Ball operator*(const Ball& a, const Ball& b) {
  Ball r;
  arb_mul(arb(r), arb(a), arb(b), working_precision());
  return r;
}
Ball operator/(const Ball& a, const Ball& b) {
  Ball r;
  arb_div(arb(r), arb(a), arb(b), working_precision());
  return r;
}
Ball operator-(const Ball& a) {
  Ball r;
  arb_neg(arb(r), arb(a));
  return r;
}

Ball Ball::midpoint() const {
  Ball r;
  arb_get_mid_arb(arb(r), arb(*this));
  return r;
}

Ball Ball::radius() const {
  Ball r;
  arb_get_rad_arb(arb(r), arb(*this));
  return r;
}

Ball Ball::lower() const {
  Ball r;
  arb_get_lbound_arf(arb_midref(arb(r)), arb(*this), working_precision());
  return r;
}

Ball Ball::upper() const {
  Ball r;
  arb_get_ubound_arf(arb_midref(arb(r)), arb(*this), working_precision());
  return r;
}

bool Ball::is_finite() const { return arb_is_finite(arb(*this)) != 0; }
bool Ball::is_exact() const { return is_finite() && arb_is_exact(arb(*this)) != 0; }
bool Ball::contains_zero() const { return arb_contains_zero(arb(*this)) != 0; }
bool Ball::contains(const Ball& other) const { return arb_contains(arb(*this), arb(other)) != 0; }

bool Ball::contains(const Rational& value) const {
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_mpq(q, value.raw());
  const bool inside = arb_contains_fmpq(arb(*this), q) != 0;
  fmpq_clear(q);
  return inside;
}

bool Ball::overlaps(const Ball& other) const { return arb_overlaps(arb(*this), arb(other)) != 0; }

bool Ball::has_relative_digits(int digits) const {
  if (!is_finite()) return false;
  const PrecisionScope scope(64);
  return certainly(less_equal(Ball(2) * radius() * power_of_ten(digits), abs(midpoint())));
}

bool Ball::has_absolute_digits(int digits) const {
  if (!is_finite()) return false;
  const PrecisionScope scope(64);
  return certainly(less_equal(Ball(2) * radius() * power_of_ten(digits), Ball(1)));
}

namespace {
Ternary ternary(bool yes, bool no) {
  if (yes) return Ternary::certainly_true;
  return no ? Ternary::certainly_false : Ternary::unknown;
}
}  // namespace

// Arb's order predicates are true only if they hold for all pairs of points, and false on NaN.
Ternary less(const Ball& a, const Ball& b) {
  return ternary(arb_lt(arb(a), arb(b)) != 0, arb_ge(arb(a), arb(b)) != 0);
}
Ternary less_equal(const Ball& a, const Ball& b) {
  return ternary(arb_le(arb(a), arb(b)) != 0, arb_gt(arb(a), arb(b)) != 0);
}
Ternary positive(const Ball& a) {
  return ternary(arb_is_positive(arb(a)) != 0, arb_is_nonpositive(arb(a)) != 0);
}
Ternary negative(const Ball& a) {
  return ternary(arb_is_negative(arb(a)) != 0, arb_is_nonnegative(arb(a)) != 0);
}

Ball abs(const Ball& x) {
  Ball r;
  arb_abs(arb(r), arb(x));
  return r;
}
Ball min(const Ball& a, const Ball& b) {
  Ball r;
  arb_min(arb(r), arb(a), arb(b), working_precision());
  return r;
}
Ball max(const Ball& a, const Ball& b) {
  Ball r;
  arb_max(arb(r), arb(a), arb(b), working_precision());
  return r;
}
Ball sqrt(const Ball& x) {
  Ball r;
  arb_sqrt(arb(r), arb(x), working_precision());
  return r;
}
Ball sqrt_nonnegative(const Ball& x) {
  Ball r;
  arb_sqrtpos(arb(r), arb(x), working_precision());
  return r;
}
Ball exp(const Ball& x) {
  Ball r;
  arb_exp(arb(r), arb(x), working_precision());
  return r;
}
Ball expm1(const Ball& x) {
  Ball r;
  const long tiny = -2L * working_precision();
  if (arf_cmpabs_2exp_si(arb_midref(arb(x)), tiny) >= 0 ||
      mag_cmp_2exp_si(arb_radref(arb(x)), tiny) >= 0) {
    arb_expm1(arb(r), arb(x), working_precision());
    return r;
  }
  // |e^x - 1 - x| <= x^2 for |x| <= 1. arb_expm1 keeps 28 bits of an x below 2^(-2^62).
  mag_t bound;
  mag_init(bound);
  arb_get_mag(bound, arb(x));
  mag_mul(bound, bound, bound);
  arb_set_round(arb(r), arb(x), working_precision());
  arb_add_error_mag(arb(r), bound);
  mag_clear(bound);
  return r;
}
Ball log(const Ball& x) {
  Ball r;
  arb_log(arb(r), arb(x), working_precision());
  return r;
}
Ball log1p(const Ball& x) {
  Ball r;
  arb_log1p(arb(r), arb(x), working_precision());
  return r;
}
Ball tanh(const Ball& x) {
  Ball r;
  if (x.is_finite() && mag_cmp_2exp_si(arb_radref(arb(x)), -3) > 0) {
    // Increasing, so the ends tell; arb_tanh of [-1, 2] is several times too wide.
    const Ball lower = x.lower(), upper = x.upper();
    return Ball::hull(tanh(lower), tanh(upper));
  }
  arb_tanh(arb(r), arb(x), working_precision());
  return r;
}
Ball square(const Ball& x) {
  Ball r;
  arb_sqr(arb(r), arb(x), working_precision());
  return r;
}
Ball ldexp(const Ball& x, long exponent) {
  Ball r;
  arb_mul_2exp_si(arb(r), arb(x), exponent);
  return r;
}

Ball power_of_ten(long exponent) {
  Ball r(10), e(exponent);
  arb_pow(arb(r), arb(r), arb(e), working_precision());
  return r;
}

Ball dot(std::size_t n, const Ball* a, std::size_t stride_a, const Ball* b, std::size_t stride_b) {
  Ball r;
  if (n == 0) return r;
  arb_dot(arb(r), nullptr, 0, arb(*a), static_cast<slong>(stride_a), arb(*b),
          static_cast<slong>(stride_b), static_cast<slong>(n), working_precision());
  return r;
}

namespace approx {

double to_double(const Ball& x) { return arf_get_d(arb_midref(arb(x)), ARF_RND_NEAR); }
int sign(const Ball& x) { return arf_sgn(arb_midref(arb(x))); }
bool less(const Ball& a, const Ball& b) {
  return arf_cmp(arb_midref(arb(a)), arb_midref(arb(b))) < 0;
}
bool abs_less(const Ball& a, const Ball& b) {
  return arf_cmpabs(arb_midref(arb(a)), arb_midref(arb(b))) < 0;
}

long exponent(const Ball& x) {
  if (arf_is_zero(arb_midref(arb(x)))) return -2 * exponent_limit;
  return std::clamp(static_cast<long>(arf_abs_bound_lt_2exp_si(arb_midref(arb(x)))),
                    -exponent_limit, exponent_limit);
}

void collapse(Ball& x) { mag_zero(arb_radref(arb(x))); }

}  // namespace approx
}  // namespace heed
