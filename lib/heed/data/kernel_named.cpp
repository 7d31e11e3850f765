// SPDX-License-Identifier: Apache-2.0
#include "heed/data/kernel_named.hpp"

#include <functional>
#include <initializer_list>
#include <string>

#include "heed/data/input_error.hpp"

namespace heed {
namespace {

using Numbers = std::initializer_list<const char*>;
using Rows = std::initializer_list<Numbers>;

Matrix<Rational> matrix(const Rows& rows) {
  Matrix<Rational> m(rows.size(), rows.begin()->size());
  auto next = m.entries().begin();
  for (const Numbers& row : rows)
    for (const char* text : row) *next++ = Rational::parse(text);
  return m;
}

Matrix<Rational> column(const Numbers& numbers) {
  Matrix<Rational> m(numbers.size(), 1);
  auto next = m.entries().begin();
  for (const char* text : numbers) *next++ = Rational::parse(text);
  return m;
}

Matrix<Rational> constant_column(std::size_t n, const char* text) {
  Matrix<Rational> m(n, 1);
  for (Rational& x : m.entries()) x = Rational::parse(text);
  return m;
}

// One sample and the token read-out.
KernelInstance one_sample(Matrix<Rational> X, Matrix<Rational> Y, KernelWeights<Rational> weights,
                          std::optional<AttentionKernel> kernel = {}) {
  KernelInstance m;
  m.readout = token_readout(X.rows());
  m.X = {std::move(X)};
  m.Y = {std::move(Y)};
  m.kernel = kernel;
  m.weights = std::move(weights);
  return m;
}

KernelInstance separate_tokens(const Numbers& keys, const Numbers& values, const char* target,
                               const char* query, std::optional<AttentionKernel> kernel = {}) {
  const std::size_t n = keys.size();
  return one_sample(
      token_readout(n), constant_column(n, target),
      {{constant_column(n, query)}, {column(keys)}, {column(values)}, {column({"1"})}}, kernel);
}

KernelInstance coupled() {
  return one_sample(
      column({"6", "1"}), column({"1", "5"}),
      {{column({"0.259039516150727"})}, {column({"1"})}, {column({"1"})}, {column({"1"})}},
      AttentionKernel::softmax);
}

KernelInstance krawczyk_softmax() {
  return one_sample(matrix({{"0", "1"}, {"-1", "-4"}, {"4", "-3"}, {"3", "-3"}}),
                    column({"-1/4", "-1/2", "-1/4", "1"}),
                    {{column({"0.91652192007218545154", "-0.19463551033448215186"})},
                     {column({"-2", "-2"})},
                     {column({"1", "3/2"})},
                     {column({"1"})}},
                    AttentionKernel::softmax);
}

KernelInstance krawczyk_gaussian() {
  return one_sample(matrix({{"-4", "3"}, {"1", "2"}, {"2", "4"}, {"-4", "-3"}}),
                    column({"1/4", "5/4", "1/4", "-1/2"}),
                    {{column({"1.676145583011541339", "-2.2242513521754036812"})},
                     {column({"0", "-1"})},
                     {column({"-1", "-3/2"})},
                     {column({"1"})}},
                    AttentionKernel::gaussian);
}

KernelInstance joint_saddle(const char* value, AttentionKernel kernel) {
  return one_sample(
      token_readout(2), column({"2", "0"}),
      {{column({"0", "0"})}, {column({"0", "0"})}, {column({value, "0"})}, {column({"1"})}},
      kernel);
}

KernelInstance rank_token() {
  return one_sample(matrix({{"1", "-1"}, {"1", "0"}, {"1", "1"}, {"1", "3"}}),
                    column({"1", "-1", "1", "-1"}),
                    {{column({"1/4", "1"}), column({"0", "-1/2"})},
                     {column({"0", "1"}), column({"1/2", "1"})},
                     {column({"1", "0"}), column({"0", "1"})},
                     {column({"1"}), column({"1"})}});
}

KernelInstance rank_pooled() {
  KernelInstance m =
      one_sample(column({"2", "-1", "-1"}), column({"1"}),
                 {{column({"0"})}, {column({"1"})}, {column({"1"})}, {column({"1"})}});
  m.readout = pooled_readout(3);
  return m;
}

KernelInstance heads_cover() {
  KernelInstance m;
  m.X = {matrix({{"1/4", "1/8"}, {"-9/8", "3/8"}}), matrix({{"0", "3/8"}, {"1", "1/4"}})};
  m.Y = {column({"3/8", "11/8"}), column({"-5/4", "3/4"})};
  m.readout = token_readout(2);
  m.beta.value = Rational(3, 4);
  m.weights = {
      {matrix({{"3/8", "-5/16"}, {"-5/8", "-1/16"}}),
       matrix({{"-11/16", "-7/16"}, {"-1/8", "-1/4"}})},
      {matrix({{"5/16", "0"}, {"1/16", "0"}}), matrix({{"-11/16", "-1/2"}, {"5/8", "7/16"}})},
      {matrix({{"-5/8", "-5/4"}, {"-1/4", "3/8"}}), matrix({{"5/4", "5/8"}, {"5/4", "5/4"}})},
      {column({"1", "0"}), column({"1", "0"})}};
  return m;
}

KernelInstance affine() {
  return one_sample(matrix({{"3", "-1"}, {"3/2", "1/2"}, {"1/2", "3/2"}, {"-1", "3"}}),
                    column({"1", "0", "-1", "2"}),
                    {{column({"1/2", "-1"}), column({"-1/4", "3/4"})},
                     {column({"1", "1/2"}), column({"-1/2", "1"})},
                     {column({"1", "0"}), column({"0", "1"})},
                     {column({"1"}), column({"1"})}});
}

struct Named {
  KernelName text;
  std::function<KernelInstance()> make;
};

const std::vector<Named>& all_named() {
  using enum AttentionKernel;
  static const std::vector<Named> named = {
      {{"SM1", "softmax has a strict bad minimum in W_Q at W_Q = 0; the Gaussian kernel has none"},
       [] {
         return separate_tokens({"-5", "-4", "0", "4", "5"}, {"1", "0", "3/2", "0", "1"}, "9/10",
                                "0");
       }},
      {{"GA1", "the Gaussian kernel has a strict bad minimum in W_Q at W_Q = 0; softmax has none"},
       [] {
         return separate_tokens({"-4", "0", "4"}, {"2", "1", "2"}, "9/5", "0");
       }},
      {{"PAIR", "two tokens with a bad minimum of the Gaussian kernel near W_Q = 0"},
       [] {
         return separate_tokens({"0", "6"}, {"1", "2"}, "3/2", "0");
       }},
      {{"VAL3", "softmax: gradient flow of W_Q runs to infinity, the loss of a token to 1/8"},
       [] {
         return separate_tokens({"-1", "0", "2"}, {"0", "2", "1"}, "1/2", "1", softmax);
       }},
      {{"FOUR", "softmax: four tokens with a bad minimum in W_Q, W_Q close to it"},
       [] {
         return separate_tokens({"0", "5", "6", "8"}, {"3", "-1", "4", "2"}, "5/2",
                                "0.890447541681407", softmax);
       }},
      {{"COUPLED", "softmax: two tokens of dimension 1 with a bad minimum in W_Q"}, coupled},
      {{"KRAWCZYK-S", "softmax: four tokens of dimension 2 with a bad minimum in W_Q"},
       krawczyk_softmax},
      {{"KRAWCZYK-G", "Gaussian kernel: four tokens of dimension 2 with a bad minimum in W_Q"},
       krawczyk_gaussian},
      {{"J1", "softmax: stationary in all four blocks, and a strict saddle in (W_Q, W_K)"},
       [] { return joint_saddle("2", softmax); }},
      {{"J1G", "Gaussian kernel: stationary in all four blocks, and a strict saddle in (W_Q, W_K)"},
       [] { return joint_saddle("1", gaussian); }},
      {{"RANK-TOKEN", "two heads, H D = N n: features of rank 3 for softmax, 4 for Gaussian"},
       rank_token},
      {{"RANK-POOLED", "pooled read-out: features of rank 0 for softmax, 1 for Gaussian"},
       rank_pooled},
      {{"HEADS-COVER", "two heads of D = 2 < N n = 4: training W_V alone reaches loss 0"},
       heads_cover},
      {{"AFFINE",
        "X w = 1: two heads of D = 2 give 3 independent features for softmax, 4 for "
        "Gaussian"},
       affine}};
  return named;
}

}  // namespace

const std::vector<KernelName>& kernel_names() {
  static const std::vector<KernelName> names = [] {
    std::vector<KernelName> list;
    for (const Named& n : all_named()) list.push_back(n.text);
    return list;
  }();
  return names;
}

KernelInstance kernel_instance_named(std::string_view name) {
  std::string known;
  for (const Named& n : all_named()) {
    if (n.text.name == name) {
      KernelInstance instance = n.make();
      instance.name = name;
      instance.origin =
          "named instance " + std::string(name) + ": " + std::string(n.text.description);
      return instance;
    }
    known += known.empty() ? "" : ", ";
    known += n.text.name;
  }
  throw InputError("name: expected one of " + known + "; found " + std::string(name));
}

}  // namespace heed
