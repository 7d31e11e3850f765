// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/writing.hpp"

#include "heed/data/sha256.hpp"

namespace heed::detail {

std::string HashText::digest() const { return sha256_hex(text_); }

nlohmann::ordered_json to_json(const IntegerArray& a) { return {{"den", a.den}, {"num", a.num}}; }

nlohmann::ordered_json fraction(const Rational& q) {
  const Rational den = common_denominator({q});
  return {integer_string(q * den), integer_string(den)};
}

std::string text(nlohmann::ordered_json certificate, const std::string& info) {
  if (!info.empty()) certificate["info"] = info;
  return certificate.dump() + "\n";
}

}  // namespace heed::detail
