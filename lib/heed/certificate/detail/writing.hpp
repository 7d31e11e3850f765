// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heed/certificate/detail/integers.hpp"

namespace heed::detail {

/// The text that is hashed: items, each followed by a line feed.
class HashText {
 public:
  explicit HashText(const std::string& title) { item(title); }
  void item(const std::string& text) { text_ += text + "\n"; }
  void item(std::size_t number) { item(std::to_string(number)); }
  void array(const IntegerArray& a) {
    item(a.den);
    for (const std::string& n : a.num) item(n);
  }
  void named(const std::string& name, std::size_t number) {
    item(name);
    item(number);
  }
  void named(const std::string& name, const IntegerArray& a) {
    item(name);
    array(a);
  }
  std::string digest() const;

 private:
  std::string text_;
};

/// {"den", "num"} and [num, den] of the format (N3, N4).
nlohmann::ordered_json to_json(const IntegerArray& a);
nlohmann::ordered_json fraction(const Rational& q);

/// The file, with `info` if there is any.
std::string text(nlohmann::ordered_json certificate, const std::string& info);

}  // namespace heed::detail
