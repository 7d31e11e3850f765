// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npy_header.hpp"

#include "heed/data/detail/message.hpp"

namespace heed::detail {
namespace {

constexpr std::size_t max_axes = 8;

/// Reads the few Python literals that may stand in a header.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, const std::string& file, const std::string& tensor)
      : text_(text), file_(file), tensor_(tensor) {}

  NpyHeader header() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted_text("a key");
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        if (peek() == '[') fail_here("records (structured types) are not supported");
        header.descr = quoted_text("a data type");
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        fail_here("unexpected or repeated key " + in_quotes(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail_here("characters after the closing brace");
    if (!descr || !order || !shape) fail_here("descr, fortran_order and shape must all be given");
    return header;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_here(std::string("expected '") + c + "'");
  }

  std::string quoted_text(const std::string& what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_here("expected " + what + " in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail_here("quote without end");
    const std::string inside(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return inside;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail_here("expected True or False");
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> lengths;
    expect('(');
    while (!accept(')')) {
      if (lengths.size() == max_axes) fail_here("more than eight axes");
      lengths.push_back(length());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return lengths;
  }

  std::size_t length() {
    if (peek() == '-') fail_here("negative length in the shape");
    const std::size_t start = at_;
    std::size_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (value > (std::size_t{1} << 63) / 10 - 1) fail_here("the shape overflows");
      value = 10 * value + static_cast<std::size_t>(text_[at_] - '0');
    }
    if (at_ == start) fail_here("expected a length in the shape");
    // Files of Python 2 mark long integers.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  [[noreturn]] void fail_here(const std::string& what) const {
    fail(file_, tensor_,
         "npy header not understood at character " + std::to_string(at_) + ": " + what);
  }

  std::string_view text_;
  const std::string& file_;
  const std::string& tensor_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file,
                           const std::string& tensor) {
  return LiteralReader(text, file, tensor).header();
}

}  // namespace heed::detail
