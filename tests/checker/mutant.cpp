// SPDX-License-Identifier: Apache-2.0
#include "mutant.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>

namespace tamper {
namespace {

std::string text_of_item(const Json& item) {
  return item.is_string() ? item.get<std::string>() : item.dump();
}

void add_array(std::string& text, const Json& array) {
  text += text_of_item(array.at("den")) + "\n";
  for (const Json& x : array.at("num")) text += text_of_item(x) + "\n";
}

std::string hashed_text(const Json& c) {
  const bool rows = c.at("form") == "rows";
  std::string text = rows ? "heed-certificate-1 rows\n" : "heed-certificate-1 tokens\n";
  const auto list = [&](const Json& items) {
    for (const Json& item : items) text += text_of_item(item) + "\n";
  };
  text += "n\n" + c.at("n").dump() + "\nd\n" + c.at("d").dump() + "\n";
  if (rows) {
    text += "F\n";
    add_array(text, c.at("F"));
    return text;
  }
  text += "T\n";
  list(c.at("T"));
  text += "X\n";
  add_array(text, c.at("X"));
  text += "Z\n";
  add_array(text, c.at("Z"));
  text += "select\n";
  for (const Json& selected : c.at("select")) {
    text += std::to_string(selected.size()) + "\n";
    list(selected);
  }
  if (c.contains("rhs")) {
    text += "rhs\n";
    add_array(text, c.at("rhs"));
  }
  if (c.contains("scores")) {
    text += "scores\n";
    list(c.at("scores").at("y"));
    add_array(text, c.at("scores").at("v"));
  }
  if (c.contains("self")) {
    text += "self\n";
    list(c.at("self"));
  }
  return text;
}

}  // namespace

Json with(Json certificate, const std::string& path, Json value) {
  certificate[Path(path)] = std::move(value);
  return certificate;
}

Json without(Json certificate, const std::string& name) {
  certificate.erase(name);
  return certificate;
}

Json rehashed(Json certificate) {
  std::string text;
  try {
    text = hashed_text(certificate);
  } catch (const Json::exception&) {
    return certificate;  // not data of the format
  }
  unsigned char bytes[32];
  if (EVP_Digest(text.data(), text.size(), bytes, nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("no SHA-256");
  }
  std::string digest;
  for (const unsigned char byte : bytes) {
    const std::string two = mpz_class(256 + byte).get_str(16);
    digest += two.substr(1);
  }
  certificate["sha256"] = digest;
  return certificate;
}

std::string hexadecimal(const mpz_class& x) {
  const std::string digits = x.get_str(16);
  return x < 0 ? "-0x" + digits.substr(1) : "0x" + digits;
}

mpz_class number(const Json& text) { return mpz_class(text.get<std::string>(), 0); }

Json hexadecimal_list(const std::vector<mpz_class>& numbers) {
  Json list = Json::array();
  for (const mpz_class& x : numbers) list.push_back(hexadecimal(x));
  return list;
}

Json nudged(const Json& array, std::size_t k) {
  const mpz_class factor = mpz_class(1) << 20;
  mpz_class den = number(array.at("den")) * factor;
  std::vector<mpz_class> num;
  for (const Json& x : array.at("num")) num.push_back(number(x) * factor);
  num.at(k) += num[k] == 0 ? number(array.at("den")) : mpz_class(num[k] / factor);
  mpz_class common = den;
  for (const mpz_class& x : num) common = gcd(common, x);
  for (mpz_class& x : num) x /= common;
  den /= common;
  return {{"den", hexadecimal(den)}, {"num", hexadecimal_list(num)}};
}

std::vector<std::string> array_paths(const Json& certificate) {
  std::vector<std::string> paths;
  for (const char* name : {"X", "Z", "F", "rhs"}) {
    if (certificate.contains(name)) paths.push_back(std::string("/") + name);
  }
  if (certificate.contains("scores")) paths.push_back("/scores/v");
  return paths;
}

bool is_tied(const Json& certificate) {
  if (!certificate.contains("select")) return false;
  const Json& select = certificate.at("select");
  return std::any_of(select.begin(), select.end(), [](const Json& s) { return s.size() > 1; });
}

}  // namespace tamper
