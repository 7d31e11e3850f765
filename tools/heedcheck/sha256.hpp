// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>

#include "numbers.hpp"

namespace heedcheck {

// The digest of a text of items, each followed by a line feed.
class ItemHash {
 public:
  ItemHash();
  void word(const std::string& item);
  void integer(std::int64_t item) { word(std::to_string(item)); }
  void array(const Array& items);  // den, then num
  std::string digest();            // 64 digits; ends the text

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace heedcheck
