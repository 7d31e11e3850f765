// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heedcheck {

// A JSON value as the format sees it: a number is an integer in the spelling of rule N2, or `other`.
struct Value {
  enum class Kind { other, integer, string, list, object };
  Kind kind = Kind::other;
  std::int64_t integer = 0;
  std::string text;
  std::vector<std::string> names;  // of an object, beside items
  std::vector<Value> items;

  // The named member of an object, or null.
  const Value* find(std::string_view name) const;
  // The named member; malformed if it is missing.
  const Value& at(std::string_view name) const;
};

// Throws Unreadable if the text is not one JSON value, Malformed if an object repeats a name.
Value parse(const std::string& text);

// Malformed unless the value is an object with all of `must`, and others only from `may`.
void require_fields(const Value& value, const std::vector<std::string_view>& must,
                    const std::vector<std::string_view>& may, const std::string& what);

// The text of a string; malformed if the value is none.
const std::string& string_of(const Value& value, const std::string& what);

// The items of a list; malformed if the value is none.
const std::vector<Value>& list_of(const Value& value, const std::string& what);

// An integer in [low, high]; malformed if the value is none.
std::int64_t integer_of(const Value& value, std::int64_t low, std::int64_t high,
                        const std::string& what);

}  // namespace heedcheck
