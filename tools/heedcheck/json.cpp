// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace heedcheck {
namespace {

constexpr std::size_t max_depth = 64;

// Builds the tree from the events of the reader, which by itself would keep only the last of two
// members of one name.
class Builder {
 public:
  using json = nlohmann::json;
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using string_t = json::string_t;

  bool null() { return add({}); }
  bool boolean(bool) { return add({}); }
  bool number_float(json::number_float_t, const string_t&) { return add({}); }
  bool binary(json::binary_t&) { return add({}); }
  // "-0" is reported as a signed 0; it is not an integer in the spelling of N2.
  bool number_integer(number_integer_t x) { return x < 0 ? add_integer(x) : add({}); }
  bool number_unsigned(number_unsigned_t x) {
    return x <= INT64_MAX ? add_integer(static_cast<std::int64_t>(x)) : add({});
  }
  bool string(string_t& text) {
    Value value;
    value.kind = Value::Kind::string;
    value.text = std::move(text);
    return add(std::move(value));
  }
  bool start_object(std::size_t) { return open(Value::Kind::object); }
  bool start_array(std::size_t) { return open(Value::Kind::list); }
  bool key(string_t& name) {
    stack_.back().names.push_back(std::move(name));
    return true;
  }
  bool end_object() {
    std::vector<std::string> names = stack_.back().names;
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) repeated_ = "the name \"" + *twice + "\" occurs twice";
    return close();
  }
  bool end_array() { return close(); }
  template <class Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& e) {
    error_ = e.what();
    return false;
  }

  Value finish(bool complete) {
    if (!complete) throw Unreadable(error_.substr(0, 200));
    if (!repeated_.empty()) throw Malformed(repeated_);
    return std::move(root_);
  }

 private:
  bool add(Value value) {
    (stack_.empty() ? root_ : stack_.back().items.emplace_back()) = std::move(value);
    return true;
  }
  bool add_integer(std::int64_t x) {
    Value value;
    value.kind = Value::Kind::integer;
    value.integer = x;
    return add(std::move(value));
  }
  bool open(Value::Kind kind) {
    if (stack_.size() == max_depth) {
      error_ = "nested deeper than " + std::to_string(max_depth);
      return false;
    }
    stack_.emplace_back().kind = kind;
    return true;
  }
  bool close() {
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return add(std::move(value));
  }

  Value root_;
  std::vector<Value> stack_;
  std::string error_ = "not JSON";
  std::string repeated_;
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

const Value& Value::at(std::string_view name) const {
  const Value* value = find(name);
  require_form(value != nullptr, "no field \"" + std::string(name) + "\"");
  return *value;
}

Value parse(const std::string& text) {
  // The reader takes a NUL for the end of its input and skips a byte-order mark.
  if (text.find('\0') != std::string::npos) throw Unreadable("it contains a NUL byte");
  if (text.compare(0, 3, "\xef\xbb\xbf") == 0) throw Unreadable("it begins with a byte-order mark");
  Builder builder;
  const bool complete = nlohmann::json::sax_parse(text, &builder);
  return builder.finish(complete);
}

void require_fields(const Value& value, const std::vector<std::string_view>& must,
                    const std::vector<std::string_view>& may, const std::string& what) {
  require_form(value.kind == Value::Kind::object, what + " is not an object");
  for (const std::string_view name : must) {
    require_form(value.find(name) != nullptr, what + " lacks \"" + std::string(name) + "\"");
  }
  for (const std::string& name : value.names) {
    require_form(std::find(must.begin(), must.end(), name) != must.end() ||
                     std::find(may.begin(), may.end(), name) != may.end(),
                 what + " may not have \"" + name.substr(0, 40) + "\"");
  }
}

const std::string& string_of(const Value& value, const std::string& what) {
  require_form(value.kind == Value::Kind::string, what + " is not a string");
  return value.text;
}

const std::vector<Value>& list_of(const Value& value, const std::string& what) {
  require_form(value.kind == Value::Kind::list, what + " is not a list");
  return value.items;
}

const std::vector<Value>& list_of(const Value& value, std::size_t size, const std::string& what) {
  const std::vector<Value>& items = list_of(value, what);
  require_form(items.size() == size, what + " has " + std::to_string(items.size()) +
                                         " entries, not " + std::to_string(size));
  return items;
}

std::int64_t integer_of(const Value& value, std::int64_t low, std::int64_t high,
                        const std::string& what) {
  require_form(value.kind == Value::Kind::integer, what + " is not an integer");
  require_form(low <= value.integer && value.integer <= high, what + " is out of range");
  return value.integer;
}

std::size_t index_of(const Value& value, std::size_t end, const std::string& what) {
  return static_cast<std::size_t>(integer_of(value, 0, static_cast<std::int64_t>(end) - 1, what));
}

std::size_t size_of(const Value& value, const std::string& what) {
  return static_cast<std::size_t>(integer_of(value, 1, 1000000, what));
}

}  // namespace heedcheck
