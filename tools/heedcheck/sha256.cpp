// SPDX-License-Identifier: Apache-2.0
#include "sha256.hpp"

#include <array>
#include <stdexcept>

namespace heedcheck {
namespace {

void require_success(int status) {
  if (status != 1) throw std::runtime_error("libcrypto cannot compute SHA-256");
}

}  // namespace

ItemHash::ItemHash() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  require_success(context_ != nullptr);
  require_success(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void ItemHash::word(const std::string& item) {
  require_success(EVP_DigestUpdate(context_.get(), item.data(), item.size()));
  require_success(EVP_DigestUpdate(context_.get(), "\n", 1));
}

void ItemHash::array(const Array& items) {
  word(hexadecimal(items.den));
  for (const mpz_class& x : items.num) word(hexadecimal(x));
}

std::string ItemHash::digest() {
  std::array<unsigned char, 32> bytes{};
  require_success(EVP_DigestFinal_ex(context_.get(), bytes.data(), nullptr));
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace heedcheck
