// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmpxx.h>

#include <cstddef>
#include <string>
#include <vector>

#include "json.hpp"

namespace heedcheck {

using Integers = std::vector<mpz_class>;

// An integer string `0x0|-?0x[1-9a-f][0-9a-f]*` (rule N1).
mpz_class integer_string(const Value& value, const std::string& what);

// A list of `size` integer strings.
Integers integer_strings(const Value& value, std::size_t size, const std::string& what);

// {"den", "num"} in lowest terms (rule N3): entry k is num[k] / den, den > 0.
struct Array {
  mpz_class den;
  Integers num;
};
Array array(const Value& value, std::size_t size, const std::string& what);

// [num, den] with num >= 0 and den > 0 (rule N4); not reduced.
struct Fraction {
  mpz_class num, den;
};
Fraction fraction(const Value& value, const std::string& what);

// The spelling of rule N1.
std::string hexadecimal(const mpz_class& x);

// x >= 0 in 17 significant digits, rounded towards zero or away from it.
std::string decimal(const Fraction& x, bool up);

// Sum of products; a and b point to `size` numbers each.
mpz_class dot(const mpz_class* a, const mpz_class* b, std::size_t size);
mpz_class dot(const Integers& a, const Integers& b);

// Whether the symmetric matrix (row-major, lower triangle read) is positive semidefinite: the lemma
// of proofs-notes/certificates.md, section 6.
bool is_positive_semidefinite(Integers matrix, std::size_t size);

}  // namespace heedcheck
