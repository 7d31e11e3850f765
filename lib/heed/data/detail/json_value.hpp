// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed::detail {

struct JsonMember;

/// A parsed JSON value. Unlike the usual trees it keeps integers of any length, and an object has
/// each key once, in the order of the file.
struct JsonValue {
  struct LongInteger {
    std::string digits;
  };
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, LongInteger, std::string,
               Array, Object>
      data;

  const Array* array() const { return std::get_if<Array>(&data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  /// The member of an object, or null (also if this is not an object).
  const JsonValue* find(std::string_view key) const;
  /// For messages: `a list of 3`, `null`, `the text "abc"`, `0.5`.
  std::string describe() const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

inline constexpr std::size_t max_json_depth = 64;
inline constexpr std::size_t max_json_values = 20'000'000;

/// Parses one JSON text (RFC 8259, UTF-8). Throws InputError with line, column and byte for a
/// syntax error, a duplicate key, nesting deeper than max_json_depth, more than max_json_values
/// values, or a number that is not finite.
JsonValue parse_json(std::string_view bytes, const std::string& file);

}  // namespace heed::detail
