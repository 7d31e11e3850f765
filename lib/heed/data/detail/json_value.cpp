// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/json_value.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "heed/data/detail/message.hpp"

namespace heed::detail {
namespace {

/// Walks over the text and leaves a trace of how far it came, for messages.
class TrackedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  TrackedIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  TrackedIterator operator++(int) {
    const TrackedIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const TrackedIterator& a, const TrackedIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const TrackedIterator& a, const TrackedIterator& b) { return !(a == b); }

 private:
  const char* at_;
  const char** reached_;
};

/// Receives the parser's events and builds the tree; `false` is never returned, errors are thrown.
class TreeBuilder {
 public:
  using string_t = std::string;

  TreeBuilder(std::string_view bytes, const std::string& file)
      : bytes_(bytes), file_(file), reached_(bytes.data()) {}

  TrackedIterator begin() { return {bytes_.data(), &reached_}; }
  TrackedIterator end() { return {bytes_.data() + bytes_.size(), &reached_}; }
  JsonValue take() { return std::move(root_); }

  bool null() { return add({nullptr}); }
  bool boolean(bool value) { return add({value}); }
  bool number_integer(std::int64_t value) { return add({value}); }
  bool number_unsigned(std::uint64_t value) { return add({value}); }
  bool number_float(double value, const std::string& digits) {
    const bool integer = digits.find_first_of(".eE") == std::string::npos;
    return integer ? add({JsonValue::LongInteger{digits}}) : add({value});
  }
  bool string(std::string& value) { return add({std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_array(std::size_t) { return open({JsonValue::Array{}}); }
  bool start_object(std::size_t) { return open({JsonValue::Object{}}); }
  bool end_array() { return close(); }
  bool end_object() { return close(); }

  bool key(std::string& name) {
    Frame& frame = stack_.back();
    if (!frame.keys.insert(name).second) {
      const std::string object = path(stack_.size() - 1);
      fail_here("duplicate key " + in_quotes(name) + (object.empty() ? "" : " in " + object) +
                "; each key may appear once");
    }
    frame.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"}) {
      if (token_before_here(word)) {
        fail_here(std::string(word) + " found; every entry must be a finite number");
      }
    }
    // The library's text begins with "[json.exception...] " and, for syntax errors, a position.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
    const std::size_t syntax = what.find("syntax error");
    fail_here("not valid JSON: " + printable(what.substr(syntax < what.size() ? syntax : 0), 160));
  }

 private:
  struct Frame {
    JsonValue value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  bool add(JsonValue value) {
    if (++count_ > max_json_values) {
      fail_here("more than " + std::to_string(max_json_values) +
                " values; store data of this size as .npz");
    }
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (auto* array = std::get_if<JsonValue::Array>(&stack_.back().value.data)) {
      array->push_back(std::move(value));
    } else {
      Frame& frame = stack_.back();
      std::get<JsonValue::Object>(frame.value.data).push_back({frame.key, std::move(value)});
    }
    return true;
  }

  bool open(JsonValue value) {
    if (stack_.size() == max_json_depth) {
      fail_here("lists and objects nested deeper than " + std::to_string(max_json_depth));
    }
    stack_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    JsonValue value = std::move(stack_.back().value);
    stack_.pop_back();
    return add(std::move(value));
  }

  /// `spec.U[0][2]` for the value being read `depth` levels down.
  std::string path(std::size_t depth) const {
    std::string text;
    for (std::size_t k = 0; k < depth; ++k) {
      if (const auto* array = stack_[k].value.array()) {
        text += "[" + std::to_string(array->size()) + "]";
      } else {
        text += (text.empty() ? "" : ".") + printable(stack_[k].key, 40);
      }
    }
    return text;
  }

  bool token_before_here(std::string_view word) const {
    const auto offset = static_cast<std::size_t>(reached_ - bytes_.data());
    for (std::size_t back = 0; back <= std::min(offset, word.size()); ++back) {
      if (bytes_.substr(offset - back, word.size()) == word) return true;
    }
    return false;
  }

  [[noreturn]] void fail_here(const std::string& message) const {
    const auto byte = static_cast<std::size_t>(reached_ - bytes_.data());
    const std::string_view before = bytes_.substr(0, byte > 0 ? byte - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
    const std::string where = printable(path(stack_.size()), 80);
    fail(file_,
         "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte " +
             std::to_string(byte) + (where.empty() ? ")" : ", in " + where + ")"),
         message);
  }

  std::string_view bytes_;
  const std::string& file_;
  const char* reached_;
  std::size_t count_ = 0;
  std::vector<Frame> stack_;
  JsonValue root_;
};

std::string describe_number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  if (const Object* members = object()) {
    for (const JsonMember& member : *members) {
      if (member.key == key) return &member.value;
    }
  }
  return nullptr;
}

std::string JsonValue::describe() const {
  if (const Array* list = array()) {
    return list->empty() ? "an empty list" : "a list of " + std::to_string(list->size());
  }
  if (object()) return "an object";
  if (text()) return "the text " + in_quotes(*text());
  if (const auto* value = std::get_if<bool>(&data)) return *value ? "true" : "false";
  if (const auto* value = std::get_if<std::int64_t>(&data)) return std::to_string(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&data)) return std::to_string(*value);
  if (const auto* value = std::get_if<double>(&data)) return describe_number(*value);
  if (const auto* value = std::get_if<LongInteger>(&data)) return printable(value->digits, 40);
  return "null";
}

JsonValue parse_json(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) fail(file, "", "the file is empty; expected a JSON object");
  TreeBuilder builder(bytes, file);
  nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder);
  return builder.take();
}

}  // namespace heed::detail
