// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "numbers.hpp"

namespace heedcheck {

// The text that is hashed (proofs-notes/certificates.md, section 4): items, each followed by a line
// feed.
class Items {
 public:
  template <class... Parts>
  void add(const Parts&... parts) {
    (add_one(parts), ...);
  }
  // SHA-256 in lower-case hexadecimal digits.
  std::string sha256() const;

 private:
  void add_one(const std::string& word) { text_.append(word) += '\n'; }
  void add_one(std::size_t number) { add_one(std::to_string(number)); }
  void add_one(const Array& array) {
    add_one(hexadecimal(array.den));
    for (const mpz_class& x : array.num) add_one(hexadecimal(x));
  }

  std::string text_;
};

}  // namespace heedcheck
