// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/data/detail/message.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/write.hpp"

namespace heed {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string entry_text(const Rational& value, const detail::Where& where) {
  const std::string text = exact_text(value);
  if (text.size() > Rational::max_digits) {
    throw InputError(where.text() + ": needs more than " + std::to_string(Rational::max_digits) +
                     " characters and could not be read back");
  }
  return '"' + text + '"';
}

void append_matrices(std::string& out, const std::string& key,
                     const std::vector<Matrix<Rational>>& matrices) {
  out += ",\n  \"" + key + "\": [";
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Matrix<Rational>& a = matrices[i];
    out += i ? ",\n    [" : "\n    [";
    for (std::size_t t = 0; t < a.rows(); ++t) {
      out += t ? ",\n      [" : "\n      [";
      for (std::size_t k = 0; k < a.cols(); ++k) {
        out += (k ? ", " : "") + entry_text(a(t, k), detail::Where{key}.at(i).at(t).at(k));
      }
      out += "]";
    }
    out += "\n    ]";
  }
  out += "\n  ]";
}

std::string hexadecimal(const Rational& dyadic) {
  const auto& q = dyadic.raw();
  std::string digits(mpz_sizeinbase(mpq_numref(q), 16) + 2, '\0');
  mpz_get_str(digits.data(), 16, mpq_numref(q));
  digits.resize(digits.find('\0'));
  long exponent = -static_cast<long>(mpz_sizeinbase(mpq_denref(q), 2) - 1);
  if (exponent == 0) {
    const std::size_t last = digits.find_last_not_of('0');
    exponent = 4 * static_cast<long>(digits.size() - 1 - last);
    digits.resize(last + 1);
  }
  const bool negative = digits.front() == '-';
  return std::string(negative ? "-0x" : "0x") + digits.substr(negative ? 1 : 0) + "p" +
         std::to_string(exponent);
}

}  // namespace

std::string exact_text(const Rational& value) {
  constexpr std::size_t convenient = 24;
  const std::string text = value.to_decimal_or_fraction();
  if (text.size() <= convenient || !value.is_dyadic()) return text;
  const std::string hex = hexadecimal(value);
  return hex.size() < text.size() ? hex : text;
}

std::string to_json(const MhaInstance& instance) {
  std::string out = "{\n  \"format\": \"heed-instance-1\",\n  \"model\": \"mha\"";
  if (!instance.name.empty()) out += ",\n  \"name\": " + json_text(instance.name);
  if (!instance.origin.empty()) out += ",\n  \"note\": " + json_text(instance.origin);
  out += ",\n  \"loss\": \"" + std::string(loss_word(instance.loss)) + "\",\n  \"y\": [";
  for (std::size_t i = 0; i < instance.y.size(); ++i) {
    out += (i ? ", " : "") + std::to_string(instance.y[i]);
  }
  out += "]";
  append_matrices(out, "X", instance.X);
  if (instance.weights) {
    append_matrices(out, "U", instance.weights->U);
    append_matrices(out, "W", instance.weights->W);
  }
  return out + "\n}\n";
}

}  // namespace heed
