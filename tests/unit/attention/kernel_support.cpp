// SPDX-License-Identifier: Apache-2.0
#include "unit/attention/kernel_support.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/data/read.hpp"

namespace heed::test {
namespace {

using nlohmann::json;

// Exponents go beyond those that Rational::parse accepts.
Rational number(const json& j) {
  const std::string text = j.get<std::string>();
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return Rational::parse(text);
  const long exponent = std::stol(text.substr(e + 1));
  Rational power(1);
  mpz_ui_pow_ui(mpq_numref(power.raw()), 10, static_cast<unsigned long>(std::abs(exponent)));
  const Rational mantissa = Rational::parse(text.substr(0, e));
  return exponent < 0 ? mantissa / power : mantissa * power;
}

Matrix<Rational> matrix(const json& j) {
  Matrix<Rational> m(j.size(), j.at(0).size());
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.cols(); ++c) m(r, c) = number(j[r].at(c));
  return m;
}

std::vector<Matrix<Rational>> matrices(const json& j) {
  std::vector<Matrix<Rational>> list;
  for (const json& m : j) list.push_back(matrix(m));
  return list;
}

std::vector<Rational> numbers(const json& j) {
  std::vector<Rational> list;
  for (const json& x : j) list.push_back(number(x));
  return list;
}

std::string block_name(const std::string& key) { return key == "all" ? key : "W_" + key.substr(1); }

KernelValues values_of(AttentionKernel kernel, const json& j) {
  KernelValues v;
  v.kernel = kernel;
  v.loss = number(j.at("loss"));
  for (const json& sample : j.at("S"))
    for (const json& head : sample) v.attention.push_back(matrix(head));
  v.outputs = matrices(j.at("F"));
  const json& g = j.at("grad");
  v.gradient = {matrices(g.at("WQ")), matrices(g.at("WK")), matrices(g.at("WV")),
                matrices(g.at("WO"))};
  for (const auto& [block, value] : j.at("grad_norm2").items())
    v.gradient_squared[block_name(block)] = number(value);
  for (const auto& [block, pl] : j.at("pl").items()) {
    const std::string word = block_name(block);
    v.grams[word] = {number(pl.at("mu")), number(pl.at("L"))};
    if (!pl.at("ratio").is_null()) v.ratios[word] = number(pl.at("ratio"));
    v.ranks[word] = pl.at("rank").get<std::size_t>();
  }
  for (const json& head : j.at("sigma_B")) v.sigma_B.push_back(numbers(head));
  for (const json& head : j.at("sigma_WO")) v.sigma_O.push_back(numbers(head));
  v.query_hessian = matrix(j.at("hessian_WQ"));
  v.query_eigenvalues = numbers(j.at("hessian_WQ_eig"));
  v.query_key_eigenvalues = numbers(j.at("hessian_WQWK_eig"));
  v.hessian_least = number(j.at("hessian_all_eig_min"));
  v.hessian_largest = number(j.at("hessian_all_eig_max"));
  return v;
}

}  // namespace

KernelFixture kernel_fixture(const std::string& name) {
  const std::string path = std::string(HEED_TEST_DATA) + "/fixtures/" + name;
  std::ifstream file(path);
  const json j = json::parse(file);
  KernelFixture f{name, std::get<KernelInstance>(read_instance(path)), {}};
  for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian})
    f.values.push_back(values_of(kernel, j.at("output").at(std::string(kernel_word(kernel)))));
  return f;
}

std::vector<KernelFixture> kernel_fixtures() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEED_TEST_DATA) + "/fixtures"))
    if (entry.path().filename().string().starts_with("kernel_"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::vector<KernelFixture> fixtures;
  for (const std::string& name : names) fixtures.push_back(kernel_fixture(name));
  return fixtures;
}

}  // namespace heed::test
