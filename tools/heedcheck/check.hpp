// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "proof.hpp"

namespace heedcheck {

// 64 digits 0-9a-f.
bool is_digest(const std::string& text);

// What the caller expects of a certificate; nothing where empty.
struct Expected {
  std::string sha256;
  std::string problem;
};

// A proved bound of a named number, lo, hi or both; it is not negative.
struct Quantity {
  std::string name;
  std::optional<Fraction> lo, hi;
};
// Bounds below 0 are given as 0.
Quantity quantity(const char* name, const std::optional<mpq_class>& lo,
                  const std::optional<mpq_class>& hi);

// The proved statement of a valid certificate.
struct Verdict {
  std::string problem, kind, form, sha256;
  Lists selection;                  // empty for rows
  std::vector<std::string> proved;  // words of the side claims
  std::optional<Bounds> bounds;     // of kind margin

  // Of kind landscape: the words of its claim, what they mean, and what was derived.
  std::vector<std::string> claim, statements;
  std::vector<Quantity> quantities;

  bool is_proved(const std::string& word) const;
};

// Throws Invalid unless the data have the hash of the certificate and both are what is expected.
void require_expected(const std::string& sha256, const Verdict& verdict, const Expected& expected);

// Throws Invalid, if need be Malformed, unless the certificate is valid.
Verdict check(const Value& certificate, const Expected& expected);

}  // namespace heedcheck
