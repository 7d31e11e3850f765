// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/message.hpp"

#include "heed/data/input_error.hpp"

namespace heed::detail {

Where Where::at(std::size_t i) const {
  Where inner = *this;
  inner.index.at(inner.depth++) = i;
  return inner;
}

std::string Where::text() const {
  std::string text(tensor);
  for (std::size_t k = 0; k < depth; ++k) text += "[" + std::to_string(index[k]) + "]";
  return text;
}

void fail(const std::string& file, const std::string& where, const std::string& message) {
  throw InputError(file + ": " + (where.empty() ? "" : where + ": ") + message);
}

void fail(const std::string& file, const Where& where, const std::string& message) {
  fail(file, where.text(), message);
}

std::string printable(std::string_view text, std::size_t limit) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text.size() > limit ? shown + "..." : shown;
}

std::string in_quotes(std::string_view text) { return '"' + printable(text, 40) + '"'; }

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) {
    text += (k ? ", " : "") + std::to_string(shape[k]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string count_text(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace heed::detail
