// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

bool is_integer_string(const std::string& s) {
  if (s == "0x0") return true;
  const std::size_t start = s.compare(0, 1, "-") == 0 ? 3 : 2;
  if (s.size() <= start || s.compare(start - 2, 2, "0x") != 0 || s[start] == '0') return false;
  return std::all_of(s.begin() + static_cast<std::ptrdiff_t>(start), s.end(),
                     [](char c) { return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f'); });
}

mpz_class power_of_ten(long exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::max(exponent, 0L)));
  return power;
}

}  // namespace

mpz_class integer_string(const Value& value, const std::string& what) {
  const std::string& s = string_of(value, what);
  require_form(is_integer_string(s), what + " is not of the form -?0x[1-9a-f][0-9a-f]*");
  const bool negative = s[0] == '-';
  const mpz_class magnitude(s.substr(negative ? 3 : 2), 16);
  return negative ? mpz_class(-magnitude) : magnitude;
}

Integers integer_strings(const Value& value, std::size_t size, const std::string& what) {
  Integers numbers;
  numbers.reserve(size);
  for (const Value& item : list_of(value, size, what))
    numbers.push_back(integer_string(item, what));
  return numbers;
}

Array array(const Value& value, std::size_t size, const std::string& what) {
  require_fields(value, {"den", "num"}, {}, what);
  Array result{integer_string(value.at("den"), what + ".den"),
               integer_strings(value.at("num"), size, what + ".num")};
  require_form(result.den > 0, what + ".den is not positive");
  mpz_class common = result.den;
  for (std::size_t k = 0; k < size && common != 1; ++k) common = gcd(common, result.num[k]);
  require_form(common == 1, what + " is not in lowest terms");
  return result;
}

Fraction fraction(const Value& value, const std::string& what) {
  Integers parts = integer_strings(value, 2, what);
  require_form(parts[0] >= 0, what + " is negative");
  require_form(parts[1] > 0, what + " has a denominator that is not positive");
  return {std::move(parts[0]), std::move(parts[1])};
}

std::string hexadecimal(const mpz_class& x) {
  return (x < 0 ? "-0x" : "0x") + mpz_class(abs(x)).get_str(16);
}

std::string decimal(const Fraction& x, bool up) {
  constexpr long digits = 17;
  if (x.num == 0) return "0";
  const mpz_class limit = power_of_ten(digits);
  const auto bits = [](const mpz_class& n) {
    return static_cast<long>(mpz_sizeinbase(n.get_mpz_t(), 2));
  };
  // x = q 10^exponent with q < 10^17; the estimate is too low by at most a few, never too high.
  long exponent = (bits(x.num) - bits(x.den)) * 30103 / 100000 - digits - 2;
  mpz_class q, remainder;
  for (;; ++exponent) {
    const mpz_class num = x.num * power_of_ten(-exponent);
    const mpz_class den = x.den * power_of_ten(exponent);
    mpz_fdiv_qr(q.get_mpz_t(), remainder.get_mpz_t(), num.get_mpz_t(), den.get_mpz_t());
    if (up && remainder != 0) ++q;
    if (q < limit) break;
  }
  std::string text = q.get_str();
  const long power = exponent + static_cast<long>(text.size()) - 1;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.size() > 1) text.insert(1, ".");
  return power == 0 ? text : text + "e" + std::to_string(power);
}

mpz_class dot(const mpz_class* a, const mpz_class* b, std::size_t size) {
  mpz_class sum;
  for (std::size_t k = 0; k < size; ++k) {
    mpz_addmul(sum.get_mpz_t(), a[k].get_mpz_t(), b[k].get_mpz_t());
  }
  return sum;
}

mpz_class dot(const Integers& a, const Integers& b) {
  return dot(a.data(), b.data(), std::min(a.size(), b.size()));
}

bool is_positive_semidefinite(Integers matrix, std::size_t size) {
  const auto at = [&](std::size_t i, std::size_t j) -> mpz_class& { return matrix[i * size + j]; };
  mpz_class previous = 1, value;
  for (std::size_t k = 0; k < size; ++k) {
    const mpz_class pivot = at(k, k);
    if (pivot < 0) return false;
    if (pivot == 0) {
      for (std::size_t i = k + 1; i < size; ++i) {
        if (at(i, k) != 0) return false;
      }
      continue;
    }
    for (std::size_t j = k + 1; j < size; ++j) {
      for (std::size_t i = j; i < size; ++i) {
        value = pivot * at(i, j) - at(i, k) * at(j, k);
        mpz_divexact(at(i, j).get_mpz_t(), value.get_mpz_t(), previous.get_mpz_t());
      }
    }
    previous = pivot;
  }
  return true;
}

}  // namespace heedcheck
