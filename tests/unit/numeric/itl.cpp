// SPDX-License-Identifier: Apache-2.0
#include "unit/numeric/itl.hpp"

#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "heed/numeric/rational.hpp"

namespace heed::test {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  std::vector<ItlCase> file() {
    std::vector<ItlCase> cases;
    for (skip_blank(); at_ < text_.size(); skip_blank()) {
      if (word() != "testcase") fail("expected 'testcase'");
      word();
      expect('{');
      while (!accept('}')) cases.push_back(statement());
    }
    return cases;
  }

 private:
  ItlCase statement() {
    skip_blank();
    ItlCase c;
    c.line = line_;
    c.operation = word();
    while (!accept('=')) c.in.push_back(value());
    while (!accept(';')) c.out.push_back(value());
    for (std::size_t k = 0; k < c.out.size(); ++k)
      if (c.out[k].text == "signal") c.out.resize(k);
    return c;
  }

  ItlValue value() {
    ItlValue v;
    if (accept('[')) {
      v = interval();
      if (peek() == '_') word();
    } else if (accept('{')) {
      v.kind = ItlValue::Kind::numbers;
      do v.numbers.push_back(number(word()));
      while (accept(','));
      expect('}');
    } else if (accept('"')) {
      while (at_ < text_.size() && text_[at_] != '"') v.text += text_[at_++];
      expect('"');
    } else {
      v.text = word();
      const char first = v.text.find_first_of("+-") == 0 ? '0' : v.text[0];
      if (std::isdigit(static_cast<unsigned char>(first)) != 0 || v.text == "infinity" ||
          v.text == "NaN") {
        v.kind = ItlValue::Kind::number;
        v.lo = v.hi = number(v.text);
      }
    }
    return v;
  }

  ItlValue interval() {
    ItlValue v;
    const std::string first = word();
    if (first == "empty") {
      v.kind = ItlValue::Kind::empty;
    } else if (first == "nai") {
      v.kind = ItlValue::Kind::nai;
    } else {
      v.kind = ItlValue::Kind::interval;
      const bool entire = first == "entire";
      v.lo = entire ? -std::numeric_limits<double>::infinity() : number(first);
      v.hi = -v.lo;
      if (!entire) {
        expect(',');
        v.hi = number(word());
      }
    }
    expect(']');
    return v;
  }

  double number(const std::string& s) const {
    const bool minus = s[0] == '-';
    const std::string body = s.substr(minus || s[0] == '+' ? 1 : 0);
    double x = std::numeric_limits<double>::quiet_NaN();
    if (body == "infinity") {
      x = std::numeric_limits<double>::infinity();
    } else if (body != "NaN") {
      try {
        x = Rational::parse(body).nearest_double();
      } catch (const std::invalid_argument& error) {
        fail(error.what());
      }
    }
    return minus ? -x : x;
  }

  std::string word() {
    skip_blank();
    std::string s;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string("+-._").find(text_[at_]) != std::string::npos))
      s += text_[at_++];
    if (s.empty()) fail("expected a word");
    return s;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool accept(char c) {
    skip_blank();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }

  void skip_blank() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        line_ += text_[at_++] == '\n' ? 1 : 0;
      const std::string two = text_.substr(at_, 2);
      if (two != "//" && two != "/*") return;
      const std::string close = two == "//" ? "\n" : "*/";
      const std::size_t end = text_.find(close, at_ + 2);
      if (end == std::string::npos) fail("the comment does not end");
      for (; at_ < end + close.size(); ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("line " + std::to_string(line_) + ": " + why);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

bool ItlValue::bounded() const {
  return kind == Kind::interval && std::isfinite(lo) && std::isfinite(hi);
}
bool ItlValue::singleton() const { return bounded() && lo == hi; }

std::vector<ItlCase> parse_itl(const std::string& text) { return Parser(text).file(); }

}  // namespace heed::test
