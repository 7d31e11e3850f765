// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/rational.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace heed {
namespace {

[[noreturn]] void malformed(std::string_view text, const std::string& why) {
  std::string shown(text.substr(0, 40));
  if (text.size() > 40) shown += "...";
  std::string message =
      "expected a number (decimal, p/q or hexadecimal float), found \"" + shown + "\": " + why;
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ') c = '?';  // a NUL would end the message
  throw std::invalid_argument(message);
}

bool is_digit(char c, int base) {
  return (c >= '0' && c <= '9') ||
         (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

long parse_exponent(std::string_view digits, long limit, std::string_view text) {
  const bool plus = !digits.empty() && digits.front() == '+';
  if (plus) digits.remove_prefix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range || value > limit || value < -limit)
    malformed(text, "the exponent is beyond +-" + std::to_string(limit));
  if (error != std::errc() || end != digits.data() + digits.size() ||
      (plus && digits.front() == '-'))
    malformed(text, "the exponent is not an integer");
  return value;
}

// digits [. digits] [marker exponent], without sign; the value is mantissa * base^(-fraction) * scale.
Rational parse_positional(std::string_view body, int base, std::string_view text) {
  const char marker = base == 16 ? 'p' : 'e';
  std::string mantissa;
  long fraction = 0;
  bool point = false;
  std::size_t k = 0;
  for (; k < body.size(); ++k) {
    if (body[k] == '.' && !point) {
      point = true;
    } else if (is_digit(body[k], base)) {
      mantissa += body[k];
      fraction += point ? 1 : 0;
    } else {
      break;
    }
  }
  if (mantissa.empty()) malformed(text, "there are no digits");
  long exponent = 0;
  if (k < body.size()) {
    if ((body[k] | 0x20) != marker) malformed(text, std::string("unexpected '") + body[k] + "'");
    exponent =
        parse_exponent(body.substr(k + 1), Rational::max_exponent * (base == 16 ? 4 : 1), text);
  }
  Rational result;
  mpz_set_str(mpq_numref(result.raw()), mantissa.c_str(), base);
  if (base == 16) return result * Rational::power_of_two(exponent - 4 * fraction);
  mpz_t power;
  mpz_init(power);
  const long shift = exponent - fraction;
  mpz_ui_pow_ui(power, 10, static_cast<unsigned long>(std::labs(shift)));
  mpz_ptr target = shift >= 0 ? mpq_numref(result.raw()) : mpq_denref(result.raw());
  mpz_mul(target, target, power);
  mpz_clear(power);
  mpq_canonicalize(result.raw());
  return result;
}

Rational parse_fraction(std::string_view body, std::size_t slash, std::string_view text) {
  const std::string p(body.substr(0, slash)), q(body.substr(slash + 1));
  const auto all_digits = [](const std::string& s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return is_digit(c, 10); });
  };
  if (!all_digits(p) || !all_digits(q)) malformed(text, "p and q of p/q must be integers");
  Rational result;
  mpz_set_str(mpq_numref(result.raw()), p.c_str(), 10);
  mpz_set_str(mpq_denref(result.raw()), q.c_str(), 10);
  if (mpz_sgn(mpq_denref(result.raw())) == 0) {
    mpz_set_ui(mpq_denref(result.raw()), 1);
    malformed(text, "the denominator is zero");
  }
  mpq_canonicalize(result.raw());
  return result;
}

constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << 52) - 1;

// mantissa 2^exponent, a double by its value, or beyond all doubles: written bit by bit, as arithmetic
// may be set up to flush subnormal results to 0 or to saturate.
double exact_double(std::uint64_t mantissa, long exponent) {
  const long size = static_cast<long>(std::bit_width(mantissa)), biased = size + exponent + 1022;
  if (mantissa == 0) return 0.0;
  if (biased >= 2047) return std::numeric_limits<double>::infinity();
  // The lowest bit of a double with this leading bit is 2^unit.
  const long unit = std::max(biased, 1L) - 1075;
  const std::uint64_t aligned =
      exponent >= unit ? mantissa << (exponent - unit) : mantissa >> (unit - exponent);
  if (biased < 1) return std::bit_cast<double>(aligned);
  return std::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52 |
                               (aligned & fraction_mask));
}

std::string integer_string(mpz_srcptr z) {
  std::string s(mpz_sizeinbase(z, 10) + 2, '\0');
  mpz_get_str(s.data(), 10, z);
  s.resize(s.find('\0'));
  return s;
}

}  // namespace

Rational::Rational() { mpq_init(value_); }
Rational::Rational(int value) : Rational(static_cast<long>(value)) {}
Rational::Rational(long value) : Rational() { mpq_set_si(value_, value, 1); }

Rational::Rational(double value) : Rational() {
  if (!std::isfinite(value))
    throw std::invalid_argument("expected a finite number, found NaN or inf");
  // From the bits: the processor may take subnormal numbers for 0, and mpq_set_d asks it.
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & fraction_mask, exponent = bits >> 52 & 0x7ff;
  mpz_set_ui(mpq_numref(value_), exponent == 0 ? fraction : fraction + fraction_mask + 1);
  *this *= power_of_two(std::max<long>(static_cast<long>(exponent), 1) - 1075);
  if (bits >> 63 != 0) mpq_neg(value_, value_);
}

Rational::Rational(long numerator, long denominator) : Rational(numerator) {
  *this /= Rational(denominator);
}

Rational::Rational(const Rational& other) : Rational() { mpq_set(value_, other.value_); }
Rational::Rational(Rational&& other) noexcept : Rational() { mpq_swap(value_, other.value_); }

Rational& Rational::operator=(const Rational& other) {
  mpq_set(value_, other.value_);
  return *this;
}

Rational& Rational::operator=(Rational&& other) noexcept {
  mpq_swap(value_, other.value_);
  return *this;
}

Rational::~Rational() { mpq_clear(value_); }

Rational Rational::parse(std::string_view text) {
  if (text.size() > max_digits)
    malformed(text, "more than " + std::to_string(max_digits) + " characters");
  std::string_view body = text;
  bool minus = false;
  if (!body.empty() && (body.front() == '-' || body.front() == '+')) {
    minus = body.front() == '-';
    body.remove_prefix(1);
  }
  Rational result;
  const std::size_t slash = body.find('/');
  if (slash != std::string_view::npos) {
    result = parse_fraction(body, slash, text);
  } else if (body.size() > 2 && body[0] == '0' && (body[1] | 0x20) == 'x') {
    result = parse_positional(body.substr(2), 16, text);
  } else {
    result = parse_positional(body, 10, text);
  }
  return minus ? -std::move(result) : result;
}

Rational Rational::power_of_two(long exponent) {
  Rational result(1);
  if (exponent >= 0) {
    mpq_mul_2exp(result.value_, result.value_, static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(result.value_, result.value_, static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

Rational& Rational::operator+=(const Rational& other) {
  mpq_add(value_, value_, other.value_);
  return *this;
}
Rational& Rational::operator-=(const Rational& other) {
  mpq_sub(value_, value_, other.value_);
  return *this;
}
Rational& Rational::operator*=(const Rational& other) {
  mpq_mul(value_, value_, other.value_);
  return *this;
}
Rational& Rational::operator/=(const Rational& other) {
  if (other.sign() == 0) throw std::domain_error("division of a rational by zero");
  mpq_div(value_, value_, other.value_);
  return *this;
}

Rational operator-(Rational a) {
  mpq_neg(a.value_, a.value_);
  return a;
}
Rational abs(Rational a) {
  mpq_abs(a.value_, a.value_);
  return a;
}
bool operator==(const Rational& a, const Rational& b) { return mpq_equal(a.value_, b.value_) != 0; }
std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  return mpq_cmp(a.value_, b.value_) <=> 0;
}

int Rational::sign() const { return mpq_sgn(value_); }

bool Rational::is_dyadic() const {
  mpz_srcptr q = mpq_denref(value_);
  return mpz_scan1(q, 0) + 1 == mpz_sizeinbase(q, 2);
}

double Rational::nearest_double() const {
  // Two guard bits and a sticky bit on top of the 53 (fewer in the subnormal range) decide the
  // rounding; the quotient is then an integer that converts exactly.
  if (sign() == 0) return 0.0;
  mpz_t p, q, r;
  mpz_inits(p, q, r, nullptr);
  mpz_abs(p, mpq_numref(value_));
  mpz_set(q, mpq_denref(value_));
  const long size =
      static_cast<long>(mpz_sizeinbase(p, 2)) - static_cast<long>(mpz_sizeinbase(q, 2));
  // 2^(size-1) <= value < 2^(size+1): aim at 55 or 56 quotient bits, unit 2^-shift >= 2^-1076.
  const long shift = std::min(56 - size, 1076L);
  double result;
  if (size > 1100) {
    result = std::numeric_limits<double>::infinity();
  } else {
    if (shift >= 0) {
      mpz_mul_2exp(p, p, static_cast<mp_bitcnt_t>(shift));
    } else {
      mpz_mul_2exp(q, q, static_cast<mp_bitcnt_t>(-shift));
    }
    mpz_tdiv_qr(p, r, p, q);
    const long bits = static_cast<long>(mpz_sizeinbase(p, 2));
    const long drop = std::max(bits - 53, 2 - (1076 - shift));
    const auto count = static_cast<mp_bitcnt_t>(drop);
    const bool half = mpz_tstbit(p, count - 1) != 0;
    const bool sticky = mpz_sgn(r) != 0 || mpz_scan1(p, 0) < count - 1;
    mpz_tdiv_q_2exp(p, p, count);
    if (half && (sticky || mpz_odd_p(p))) mpz_add_ui(p, p, 1);
    result = exact_double(mpz_get_ui(p), drop - shift);
  }
  mpz_clears(p, q, r, nullptr);
  return sign() < 0 ? -result : result;
}

std::string Rational::to_string() const {
  std::string s = integer_string(mpq_numref(value_));
  if (mpz_cmp_ui(mpq_denref(value_), 1) != 0) s += "/" + integer_string(mpq_denref(value_));
  return s;
}

std::string Rational::to_decimal_or_fraction() const {
  mpz_srcptr q = mpq_denref(value_);
  if (mpz_cmp_ui(q, 1) == 0) return to_string();
  mpz_t rest, five, scaled;
  mpz_inits(rest, five, scaled, nullptr);
  const long twos = static_cast<long>(mpz_scan1(q, 0));
  mpz_tdiv_q_2exp(rest, q, static_cast<mp_bitcnt_t>(twos));
  mpz_set_ui(five, 5);
  const long fives = static_cast<long>(mpz_remove(rest, rest, five));
  std::string result;
  const long places = std::max(twos, fives);
  if (mpz_cmp_ui(rest, 1) == 0 && places <= 400) {
    mpz_ui_pow_ui(scaled, 10, static_cast<unsigned long>(places));
    mpz_mul(scaled, scaled, mpq_numref(value_));
    mpz_divexact(scaled, scaled, q);
    const bool minus = mpz_sgn(scaled) < 0;
    mpz_abs(scaled, scaled);
    std::string digits = integer_string(scaled);
    const auto width = static_cast<std::size_t>(places);
    if (digits.size() <= width) digits.insert(0, width + 1 - digits.size(), '0');
    digits.insert(digits.size() - width, ".");
    result = (minus ? "-" : "") + digits;
  } else {
    result = to_string();
  }
  mpz_clears(rest, five, scaled, nullptr);
  return result;
}

}  // namespace heed
