// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checks/support/source.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::checks {

/// Where the entries of a tensor come from.
enum class NumberKind {
  ordinary,    ///< doubles of magnitude 1/8 .. 4, all 53 bits used
  integer,     ///< -5 .. 5
  dyadic,      ///< k / 2^m, m <= 8
  decimal,     ///< k / 10^m: 0.1, -2.35
  fraction,    ///< p / q with q in 3, 6, 7, 9
  power,       ///< +-2^e, |e| <= 30
  neighbours,  ///< 1 + k 2^-52, |k| <= 3
  wide,        ///< doubles with uniform exponent -60 .. 60
  very_wide,   ///< doubles with uniform exponent -400 .. 400
  subnormal,   ///< k 2^-1074, k < 2^52
  mixed        ///< another kind for every entry
};

const char* to_string(NumberKind kind);

NumberKind draw_number_kind(Source& source);
/// A number of the kind; 0 now and then.
Rational draw_number(Source& source, NumberKind kind);

/// A simpler number than q: nearer to 0, 1, -1, 1/2 in this order, or with fewer bits. The measure
/// decreases along every shrink, so shrinking ends.
std::vector<Rational> simpler_numbers(const Rational& q);
/// 0 for 0, then 1, -1, 1/2, -1/2, then by length.
long complexity(const Rational& q);
/// q rounded to the given number of binary digits.
Rational round_to_bits(const Rational& q, int bits);

}  // namespace heed::checks
