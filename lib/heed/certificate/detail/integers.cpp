// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/integers.hpp"

namespace heed::detail {
namespace {

std::string hexadecimal(mpz_srcptr value) {
  std::string digits(mpz_sizeinbase(value, 16) + 2, '\0');
  mpz_get_str(digits.data(), 16, value);
  digits.resize(digits.find('\0'));
  const bool negative = digits.front() == '-';
  return (negative ? "-0x" : "0x") + digits.substr(negative ? 1 : 0);
}

}  // namespace

std::string integer_string(const Rational& value) { return hexadecimal(mpq_numref(value.raw())); }

Rational common_denominator(const std::vector<Rational>& values, const Rational& multiple_of) {
  Rational den = multiple_of;
  for (const Rational& q : values)
    mpz_lcm(mpq_numref(den.raw()), mpq_numref(den.raw()), mpq_denref(q.raw()));
  return den;
}

IntegerArray integer_array(const std::vector<Rational>& values) {
  const Rational den = common_denominator(values);
  IntegerArray array{integer_string(den), {}};
  for (const Rational& q : values) array.num.push_back(integer_string(q * den));
  return array;
}

}  // namespace heed::detail
