// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/json_tensors.hpp"

#include <stdexcept>

namespace heed::detail {

Rational number_from_json(const JsonValue& value, const std::string& file, const Where& where) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return {*number};
  if (const auto* number = std::get_if<double>(&value.data)) return Rational(*number);
  std::string text;
  if (value.text()) {
    text = *value.text();
  } else if (const auto* large = std::get_if<std::uint64_t>(&value.data)) {
    text = std::to_string(*large);
  } else if (const auto* long_integer = std::get_if<JsonValue::LongInteger>(&value.data)) {
    text = long_integer->digits;
  } else {
    fail(file, where, "expected a number, found " + value.describe());
  }
  try {
    return Rational::parse(text);
  } catch (const std::invalid_argument& error) {
    fail(file, where, printable(error.what(), 240));
  }
}

std::optional<std::string> word(const JsonValue& object, const char* key, const std::string& file) {
  const JsonValue* value = object.find(key);
  if (!value) return std::nullopt;
  if (!value->text()) fail(file, key, "expected a text, found " + value->describe());
  return *value->text();
}

int checked_label(const Rational& value, const std::string& file, const Where& where) {
  if (value == Rational(1)) return 1;
  if (value == Rational(-1)) return -1;
  fail(file, where,
       "expected +1 or -1, found " + printable(value.to_string(), 40) +
           "; give the two classes the labels +1 and -1");
}

const JsonValue::Array& TensorReader::list(const JsonValue& value, const Where& where,
                                           const std::string& expected) const {
  if (!value.array()) {
    fail(file_, where, "expected a list of " + expected + ", found " + value.describe());
  }
  return *value.array();
}

const JsonValue::Array& TensorReader::list_of(const JsonValue& value, std::size_t count,
                                              const Where& where, const std::string& noun,
                                              const std::string& symbol,
                                              const std::string& why) const {
  const auto& elements = list(value, where, count_text(count, noun));
  if (elements.size() != count) {
    fail(file_, where,
         "expected " + count_text(count, noun) +
             (symbol.empty() ? "" : " (" + symbol + " = " + std::to_string(count) + ")") +
             ", found " + std::to_string(elements.size()) + "; " + why);
  }
  return elements;
}

Rational TensorReader::number(const JsonValue& value, const Where& where) {
  Rational exact = number_from_json(value, file_, where);
  // A few characters such as 1e20000 make a long number: bound the sum of the lengths.
  const auto& q = exact.raw();
  const std::size_t bytes = sizeof(mp_limb_t) * (mpz_size(mpq_numref(q)) + mpz_size(mpq_denref(q)));
  if (bytes > 64) {
    if (bytes > bytes_left_) fail(file_, "", "the exact numbers need more memory than the limit");
    bytes_left_ -= bytes;
  }
  return exact;
}

std::vector<Rational> TensorReader::vector(const JsonValue& value, std::size_t count,
                                           const Where& where, const std::string& symbol,
                                           const std::string& why) {
  const auto& numbers = list_of(value, count, where, "number", symbol, why);
  std::vector<Rational> result;
  for (std::size_t k = 0; k < count; ++k) result.push_back(number(numbers[k], where.at(k)));
  return result;
}

Matrix<Rational> TensorReader::matrix(const JsonValue::Array& lists, std::size_t cols,
                                      const Where& where, const std::string& why) {
  for (std::size_t t = 0; t < lists.size(); ++t) {
    list_of(lists[t], cols, where.at(t), "number", "d", why);
  }
  Matrix<Rational> result(lists.size(), cols);
  for (std::size_t t = 0; t < lists.size(); ++t) {
    const auto& numbers = *lists[t].array();
    for (std::size_t k = 0; k < cols; ++k) result(t, k) = number(numbers[k], where.at(t).at(k));
  }
  return result;
}

Matrix<Rational> TensorReader::matrix(const JsonValue& value, std::size_t rows, std::size_t cols,
                                      const Where& where, const std::string& symbol,
                                      const std::string& why) {
  return matrix(list_of(value, rows, where, "row", symbol, why), cols, where, why);
}

std::vector<Matrix<Rational>> TensorReader::tokens(const JsonValue& value, const Where& where) {
  const auto& samples = list(value, where, "n samples (each a list of tokens)");
  if (samples.empty()) fail(file_, where, "expected at least one sample, found an empty list");
  std::vector<Matrix<Rational>> X;
  std::size_t dim = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& tokens = list(samples[i], where.at(i), "tokens (each a list of d numbers)");
    if (tokens.empty()) {
      fail(file_, where.at(i), "expected at least one token, found an empty list");
    }
    if (i == 0) {
      const Where first = where.at(0).at(0);
      dim = list(tokens[0], first, "d numbers").size();
      if (dim == 0) fail(file_, first, "expected at least one number, found an empty list");
    }
    X.push_back(matrix(tokens, dim, where.at(i), "every token of X must have d entries"));
  }
  return X;
}

std::vector<int> TensorReader::labels(const JsonValue& value, std::size_t samples,
                                      const Where& where) const {
  const auto& labels = list_of(value, samples, where, "label", "", "one for each sample of X");
  std::vector<int> y;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    y.push_back(checked_label(number_from_json(labels[i], file_, where.at(i)), file_, where.at(i)));
  }
  return y;
}

}  // namespace heed::detail
