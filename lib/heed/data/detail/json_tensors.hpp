// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/detail/json_value.hpp"
#include "heed/data/detail/message.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// The exact number of a JSON value: a bare number, or a string that Rational::parse reads.
Rational number_from_json(const JsonValue& value, const std::string& file, const Where& where);

/// The text of a member, or nothing if there is no such member.
std::optional<std::string> word(const JsonValue& object, const char* key, const std::string& file);

/// Reads nested lists of numbers. Every error is an InputError that names file, tensor and index.
class TensorReader {
 public:
  TensorReader(const std::string& file, std::size_t max_bytes)
      : file_(file), bytes_left_(max_bytes) {}

  const std::string& file() const { return file_; }

  /// A list of any length; `expected` says of what.
  const JsonValue::Array& list(const JsonValue& value, const Where& where,
                               const std::string& expected) const;
  /// A list of `count` elements; `symbol` is their letter and `why` says where the count comes from.
  const JsonValue::Array& list_of(const JsonValue& value, std::size_t count, const Where& where,
                                  const std::string& noun, const std::string& symbol,
                                  const std::string& why) const;
  Rational number(const JsonValue& value, const Where& where);
  std::vector<Rational> vector(const JsonValue& value, std::size_t count, const Where& where,
                               const std::string& symbol, const std::string& why);
  /// lists.size() x cols.
  Matrix<Rational> matrix(const JsonValue::Array& lists, std::size_t cols, const Where& where,
                          const std::string& why);
  /// A matrix of given rows and columns.
  Matrix<Rational> matrix(const JsonValue& value, std::size_t rows, std::size_t cols,
                          const Where& where, const std::string& symbol, const std::string& why);
  /// The n x T x d tokens (ragged: T_i x d): at least one sample, token and number.
  std::vector<Matrix<Rational>> tokens(const JsonValue& value, const Where& where);
  /// The labels +1 or -1, one for each sample.
  std::vector<int> labels(const JsonValue& value, std::size_t samples, const Where& where) const;

 private:
  const std::string& file_;
  std::size_t bytes_left_;
};

/// +1 or -1 as an int; throws InputError with advice for any other value.
int checked_label(const Rational& value, const std::string& file, const Where& where);

}  // namespace heed::detail
