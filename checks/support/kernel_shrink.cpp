// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "checks/support/kernel_instances.hpp"
#include "checks/support/numbers.hpp"
#include "heed/attention/kernel_blocks.hpp"

namespace heed::checks {
namespace {

using RationalMatrix = Matrix<Rational>;

RationalMatrix without_row(const RationalMatrix& m, std::size_t row) {
  RationalMatrix r(m.rows() - 1, m.cols());
  for (std::size_t i = 0, k = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; i != row && j < m.cols(); ++j) r.data()[k++] = m(i, j);
  return r;
}

RationalMatrix without_column(const RationalMatrix& m, std::size_t col) {
  RationalMatrix r(m.rows(), m.cols() - 1);
  for (std::size_t i = 0, k = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.cols(); ++j)
      if (j != col) r.data()[k++] = m(i, j);
  return r;
}

template <class T>
void erase_at(std::vector<T>& v, std::size_t k) {
  v.erase(v.begin() + static_cast<std::ptrdiff_t>(k));
}

void apply(std::vector<RationalMatrix>& list,
           RationalMatrix (*cut)(const RationalMatrix&, std::size_t), std::size_t k) {
  for (RationalMatrix& m : list) m = cut(m, k);
}

std::vector<std::vector<RationalMatrix>*> tensors(KernelInstance& k) {
  auto& w = k.weights;
  return {&k.X, &k.Y, &w.W_Q, &w.W_K, &w.W_V, &w.W_O};
}

long complexity(KernelInstance k) {
  long sum = checks::complexity(k.beta.value);
  for (const auto* list : tensors(k))
    for (const RationalMatrix& m : *list)
      for (const Rational& x : m.entries()) sum += checks::complexity(x);
  return sum;
}

void add_smaller_shapes(const KernelInstance& k, std::vector<KernelInstance>& all) {
  const auto add = [&](const std::function<void(KernelInstance&)>& change) {
    KernelInstance s = k;
    change(s);
    all.push_back(std::move(s));
  };
  for (std::size_t i = 0; k.samples() > 1 && i < k.samples(); ++i)
    add([&](KernelInstance& s) { erase_at(s.X, i), erase_at(s.Y, i); });
  for (std::size_t h = 0; k.heads() > 1 && h < k.heads(); ++h)
    add([&](KernelInstance& s) {
      for (const KernelBlock block : kernel_blocks) erase_at(block_of(s.weights, block), h);
    });
  for (std::size_t t = 0; k.tokens() > 1 && t < k.tokens(); ++t)
    add([&](KernelInstance& s) {
      const std::string word = readout_word(k);
      apply(s.X, without_row, t);
      s.readout = word == "token"    ? token_readout(k.tokens() - 1)
                  : word == "pooled" ? pooled_readout(k.tokens() - 1)
                                     : without_column(k.readout, t);
      if (word == "token") apply(s.Y, without_row, t);
    });
  for (std::size_t c = 0; k.dim() > 1 && c < k.dim(); ++c)
    add([&](KernelInstance& s) {
      apply(s.X, without_column, c);
      for (auto* heads : {&s.weights.W_Q, &s.weights.W_K, &s.weights.W_V})
        apply(*heads, without_row, c);
    });
  for (std::size_t c = 0; k.key_dim() > 1 && c < k.key_dim(); ++c)
    add([&](KernelInstance& s) {
      apply(s.weights.W_Q, without_column, c);
      apply(s.weights.W_K, without_column, c);
      if (k.beta.root) s.beta = inverse_root_beta(k.key_dim() - 1);
    });
  for (std::size_t c = 0; k.value_dim() > 1 && c < k.value_dim(); ++c)
    add([&](KernelInstance& s) {
      apply(s.weights.W_V, without_column, c);
      apply(s.weights.W_O, without_row, c);
    });
  for (std::size_t c = 0; k.output_dim() > 1 && c < k.output_dim(); ++c)
    add([&](KernelInstance& s) {
      apply(s.weights.W_O, without_column, c);
      apply(s.Y, without_column, c);
    });
}

void add_simpler_numbers(const KernelInstance& k, std::vector<KernelInstance>& all) {
  const long before = complexity(k);
  const auto add = [&](KernelInstance s) {
    if (complexity(s) < before) all.push_back(std::move(s));
  };
  for (std::size_t list = 0; list < 6; ++list)
    for (const int bits : {0, 3, 8, 24}) {
      KernelInstance s = k;
      for (RationalMatrix& m : *tensors(s)[list])
        for (Rational& x : m.entries()) x = bits == 0 ? Rational() : round_to_bits(x, bits);
      add(std::move(s));
    }
  KernelInstance of_beta = k;
  of_beta.beta = {};
  add(std::move(of_beta));
  KernelInstance copy = k;
  for (std::size_t list = 0; list < 6; ++list)
    for (std::size_t j = 0; j < tensors(copy)[list]->size(); ++j)
      for (std::size_t e = 0; e < (*tensors(copy)[list])[j].size(); ++e)
        for (Rational& simpler : simpler_numbers((*tensors(copy)[list])[j].data()[e])) {
          KernelInstance s = k;
          (*tensors(s)[list])[j].data()[e] = std::move(simpler);
          add(std::move(s));
        }
}

}  // namespace

std::vector<KernelInstance> simpler_instances(const KernelInstance& k) {
  std::vector<KernelInstance> all;
  add_smaller_shapes(k, all);
  add_simpler_numbers(k, all);
  return all;
}

}  // namespace heed::checks
