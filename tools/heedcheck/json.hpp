// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heedcheck {

// Not JSON: there is no certificate to speak about.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Not proved (section 6 of proofs-notes/certificates.md), or not what the caller expects.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Breaks a rule of the format (sections 2 and 3).
struct Malformed : Invalid {
  explicit Malformed(const std::string& what) : Invalid("malformed: " + what) {}
};

inline void require_form(bool condition, const std::string& what) {
  if (!condition) throw Malformed(what);
}
inline void require_proof(bool condition, const std::string& what) {
  if (!condition) throw Invalid(what);
}

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

// The content of a value of this kind, an integer in [low, high]; malformed if it is none.
const std::string& string_of(const Value& value, const std::string& what);
const std::vector<Value>& list_of(const Value& value, const std::string& what);
const std::vector<Value>& list_of(const Value& value, std::size_t size, const std::string& what);
std::int64_t integer_of(const Value& value, std::int64_t low, std::int64_t high,
                        const std::string& what);

// An integer in [0, end), and one in [1, 10^6].
std::size_t index_of(const Value& value, std::size_t end, const std::string& what);
std::size_t size_of(const Value& value, const std::string& what);

}  // namespace heedcheck
