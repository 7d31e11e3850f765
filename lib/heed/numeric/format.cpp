// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/format.hpp"

#include <mpfr.h>

#include <algorithm>
#include <cstdlib>

#include "heed/numeric/ball_arb.hpp"

namespace heed {
namespace {

/// Sign, digits d1 d2 ... and decimal exponent e of +-0.d1d2... 10^e.
struct Decimal {
  bool minus = false;
  std::string digits;
  long exponent = 0;
};

Decimal decimal(mpfr_srcptr x, int digits, mpfr_rnd_t rounding) {
  Decimal d;
  if (mpfr_zero_p(x)) {
    d.digits = "0";
    d.exponent = 1;
    return d;
  }
  if (mpfr_inf_p(x)) {
    d.minus = mpfr_sgn(x) < 0;
    d.digits = "inf";
    return d;
  }
  mpfr_exp_t exponent = 0;
  char* text = mpfr_get_str(nullptr, &exponent, 10, static_cast<std::size_t>(std::max(digits, 1)),
                            x, rounding);
  d.digits = text;
  mpfr_free_str(text);
  d.exponent = static_cast<long>(exponent);
  if (d.digits.front() == '-') {
    d.minus = true;
    d.digits.erase(0, 1);
  }
  return d;
}

std::string trim(std::string digits) {
  if (digits == "inf") return digits;
  const std::size_t last = digits.find_last_not_of('0');
  digits.resize(last == std::string::npos ? 1 : last + 1);
  return digits;
}

// Plain notation for moderate exponents, otherwise d.ddde+-x; `tail` follows the last digit.
std::string notation(const Decimal& d, const std::string& tail) {
  std::string s = d.minus ? "-" : "";
  if (d.digits == "inf") return s + "inf";
  const auto n = static_cast<long>(d.digits.size());
  if (d.exponent <= 0 && d.exponent > -5) {
    return s + "0." + std::string(static_cast<std::size_t>(-d.exponent), '0') + d.digits + tail;
  }
  if (d.exponent > 0 && d.exponent <= 15) {
    std::string whole = d.digits.substr(0, static_cast<std::size_t>(std::min(n, d.exponent)));
    if (n < d.exponent && tail.empty()) {
      whole.append(static_cast<std::size_t>(d.exponent - n), '0');
      return s + whole;
    }
    if (n >= d.exponent) {
      const std::string rest = d.digits.substr(static_cast<std::size_t>(d.exponent));
      return s + whole + (rest.empty() && tail.empty() ? "" : ".") + rest + tail;
    }
  }
  s += d.digits.substr(0, 1);
  const std::string rest = d.digits.substr(1);
  if (!rest.empty() || !tail.empty()) s += "." + rest + tail;
  return s + "e" + std::to_string(d.exponent - 1);
}

// Precision at which the end points are printed. Digits beyond the accuracy of the ball are of no use,
// nor are those of 1 +- 2^(-10^9).
slong printed_bits(const Ball& x) {
  if (arb_is_exact(arb(x))) return arb_bits(arb(x)) + 64;
  const slong accurate = std::max<slong>(arb_rel_accuracy_bits(arb(x)), 0);
  return std::min(accurate, std::max<slong>(arb_bits(arb(x)), 4096)) + 64;
}

struct Endpoints {
  mpfr_t lo, hi;
  explicit Endpoints(const Ball& x) {
    const mpfr_prec_t precision = printed_bits(x);
    mpfr_init2(lo, precision);
    mpfr_init2(hi, precision);
    // The widest range that MPFR offers, on this thread; beyond it the ends become infinities.
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    arb_get_interval_mpfr(lo, hi, arb(x));
  }
  ~Endpoints() {
    mpfr_clear(lo);
    mpfr_clear(hi);
  }
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;
};

int certified_digits(const Ball& x) {
  if (arb_is_exact(arb(x))) return std::max(static_cast<int>(arb_bits(arb(x)) * 302 / 1000), 20);
  const slong accurate = std::max<slong>(arb_rel_accuracy_bits(arb(x)), 0),
              bits = std::min(accurate, printed_bits(x));
  return std::max(static_cast<int>(bits * 30103 / 100000), 1);
}

std::string enclosing(const Ball& x) {
  const DecimalInterval d = decimal_interval(x, 3);
  return "[" + d.lo + ", " + d.hi + "]";
}

// For enclosures around a number with few digits, such as 0.1 from below and above.
std::string midpoint_and_radius(const Ball& x, int digits) {
  const Endpoints ends(x.midpoint());
  Decimal mid = decimal(ends.lo, digits, MPFR_RNDN);
  mid.digits = trim(mid.digits);
  const std::string text = notation(mid, "");
  const PrecisionScope scope(std::max(working_precision(), static_cast<int>(printed_bits(x))));
  Ball shown;
  arb_set_str(arb(shown), text.c_str(), working_precision());
  const Ball error = abs(x - shown);
  return text + " +/- " + decimal_interval(error.upper(), 2).hi;
}

}  // namespace

DecimalInterval decimal_interval(const Ball& x, int digits) {
  if (!x.is_finite()) return {"-inf", "inf"};
  const Endpoints ends(x);
  if (digits == 0) digits = certified_digits(x) + 4;
  Decimal lo = decimal(ends.lo, digits, MPFR_RNDD), hi = decimal(ends.hi, digits, MPFR_RNDU);
  lo.digits = trim(lo.digits);
  hi.digits = trim(hi.digits);
  return {notation(lo, ""), notation(hi, "")};
}

std::string certain_digits(const Ball& x, int max_digits) {
  if (!x.is_finite()) return "not finite";
  const Endpoints ends(x);
  if (mpfr_zero_p(ends.lo) && mpfr_zero_p(ends.hi)) return "0";
  if (mpfr_sgn(ends.lo) * mpfr_sgn(ends.hi) <= 0) return enclosing(x);
  const bool negative = mpfr_sgn(ends.lo) < 0;
  mpfr_srcptr small = negative ? ends.hi : ends.lo, large = negative ? ends.lo : ends.hi;
  const mpfr_rnd_t down = MPFR_RNDZ, up = MPFR_RNDA;
  // The estimate of the certified digits may be two short.
  const int certified = x.is_exact() ? max_digits : std::min(certified_digits(x), max_digits);
  for (int n = std::min(certified + 2, max_digits) + 1; n >= std::max(certified - 2, 2); --n) {
    Decimal a = decimal(small, n, down), b = decimal(large, n, up);
    if (a.exponent != b.exponent) continue;
    if (a.digits == b.digits) {
      a.digits = trim(a.digits);
      return notation(a, "");
    }
    const auto prefix = static_cast<std::size_t>(n - 1);
    if (a.digits.compare(0, prefix, b.digits, 0, prefix) != 0) continue;
    const std::string tail = std::string("[") + a.digits[prefix] + "," + b.digits[prefix] + "]";
    a.digits.resize(prefix);
    return notation(a, tail);
  }
  if (certified_digits(x) < 2) return enclosing(x);
  return midpoint_and_radius(x, certified);
}

std::string approx_digits(const Ball& x, int digits) {
  if (!x.is_finite()) return "-";
  const Endpoints ends(x.midpoint());
  Decimal d = decimal(ends.lo, digits, MPFR_RNDN);
  d.digits = trim(d.digits);
  return notation(d, "");
}

}  // namespace heed
