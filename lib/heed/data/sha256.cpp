// SPDX-License-Identifier: Apache-2.0
#include "heed/data/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "heed/data/input_error.hpp"

namespace heed {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(const void* data, std::size_t size) {
    require(EVP_DigestUpdate(context_.get(), data, size) == 1);
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += digits[digest[i] >> 4];
      text += digits[digest[i] & 15];
    }
    return text;
  }

 private:
  static void require(bool ok) {
    if (!ok) throw std::runtime_error("SHA-256 is not available from libcrypto");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256_of_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw InputError(path + ": cannot open: " + std::strerror(errno));
  Digest digest;
  std::vector<char> block(1 << 16);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    digest.add(block.data(), got);
  }
  if (std::ferror(file.get())) throw InputError(path + ": cannot read: " + std::strerror(errno));
  return digest.hex();
}

}  // namespace heed
