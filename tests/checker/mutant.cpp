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

std::string hashed_layer(const Json& c) {
  std::string text = "heed-certificate-1 landscape\n";
  for (const char* name : {"N", "n", "m", "D", "H", "d", "d_v", "p"}) {
    text += std::string(name) + "\n" + c.at(name).dump() + "\n";
  }
  text += "beta\n" + c.at("beta").at("power").dump() + "\n";
  add_array(text, c.at("beta").at("value"));
  for (const char* name : {"X", "Y", "U", "W_Q", "W_K", "W_V", "W_O"}) {
    text += std::string(name) + "\n";
    add_array(text, c.at(name));
  }
  return text;
}

std::string hashed_text(const Json& c) {
  if (is_landscape(c)) return hashed_layer(c);
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

namespace {

void add_array_paths(const Json& value, const std::string& path, std::vector<std::string>& paths) {
  if (value.is_object() && value.contains("den") && value.contains("num")) {
    paths.push_back(path);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      if (name != "info") add_array_paths(member, path + "/" + name, paths);
    }
  } else if (value.is_array()) {
    for (std::size_t k = 0; k < value.size(); ++k) {
      add_array_paths(value[k], path + "/" + std::to_string(k), paths);
    }
  }
}

}  // namespace

std::vector<std::string> array_paths(const Json& certificate) {
  std::vector<std::string> paths;
  add_array_paths(certificate, "", paths);
  return paths;
}

Json array_of(const std::vector<mpq_class>& numbers) {
  mpz_class den = 1;
  for (const mpq_class& x : numbers) den = lcm(den, x.get_den());
  std::vector<mpz_class> num;
  for (const mpq_class& x : numbers) num.emplace_back(x.get_num() * (den / x.get_den()));
  return {{"den", hexadecimal(den)}, {"num", hexadecimal_list(num)}};
}

std::vector<mpq_class> numbers_of(const Json& array) {
  std::vector<mpq_class> numbers;
  for (const Json& x : array.at("num")) {
    numbers.emplace_back(number(x), number(array.at("den")));
    numbers.back().canonicalize();
  }
  return numbers;
}

mpq_class fraction_of(const Json& fraction) {
  mpq_class value(number(fraction[0]), number(fraction[1]));
  value.canonicalize();
  return value;
}

bool is_landscape(const Json& certificate) {
  return certificate.contains("kind") && certificate.at("kind") == "landscape";
}

std::string problem_of(const Json& certificate) {
  if (!is_landscape(certificate)) return certificate.at("problem");
  std::string text = certificate.at("kernel");
  for (std::size_t k = 0; k < certificate.at("trained").size(); ++k) {
    text += (k == 0 ? ":" : ",") + certificate.at("trained")[k].get<std::string>();
  }
  return text;
}

bool is_data(const Json& certificate, const std::string& path) {
  if (!is_landscape(certificate)) return true;
  for (const char* name : {"/X", "/Y", "/U", "/W_Q", "/W_K", "/W_V", "/W_O", "/beta/value"}) {
    if (path == name) return true;
  }
  return false;
}

bool is_tied(const Json& certificate) {
  if (!certificate.contains("select")) return false;
  const Json& select = certificate.at("select");
  return std::any_of(select.begin(), select.end(), [](const Json& s) { return s.size() > 1; });
}

}  // namespace tamper
