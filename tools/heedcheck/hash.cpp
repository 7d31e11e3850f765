// SPDX-License-Identifier: Apache-2.0
#include "hash.hpp"

#include <openssl/evp.h>

#include <array>

namespace heedcheck {

std::string Items::sha256() const {
  std::array<unsigned char, 32> bytes{};
  if (EVP_Digest(text_.data(), text_.size(), bytes.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("libcrypto cannot compute SHA-256");
  }
  std::string digest;
  for (const unsigned char byte : bytes) {
    digest += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  }
  return digest;
}

}  // namespace heedcheck
