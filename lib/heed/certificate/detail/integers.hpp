// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmp.h>

#include <cstddef>
#include <string>
#include <vector>

#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// Rationals over one common denominator in lowest terms, as integer strings of the certificate format
/// (N1 and N3 of proofs-notes/certificates.md).
struct IntegerArray {
  std::string den;
  std::vector<std::string> num;
};

/// `0x0`, `0x1f`, `-0x1f`. Precondition: value is an integer.
std::string integer_string(const Rational& value);

/// The least positive integer that is a multiple of every denominator and of `multiple_of` (an integer).
Rational common_denominator(const std::vector<Rational>& values,
                            const Rational& multiple_of = Rational(1));

/// The numbers over their least common denominator.
IntegerArray integer_array(const std::vector<Rational>& values);

}  // namespace heed::detail
