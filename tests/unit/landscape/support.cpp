// SPDX-License-Identifier: Apache-2.0
#include "unit/landscape/support.hpp"

#include <stdexcept>

namespace landscape_test {
namespace {

std::vector<Rational> numbers(const std::vector<std::string>& texts) {
  std::vector<Rational> x;
  for (const std::string& text : texts) x.push_back(Rational::parse(text));
  return x;
}

heed::Matrix<Rational> column(const std::vector<Rational>& x) {
  heed::Matrix<Rational> m(x.size(), 1);
  for (std::size_t i = 0; i < x.size(); ++i) m(i, 0) = x[i];
  return m;
}

}  // namespace

TokenProblem problem(AttentionKernel kernel, const std::vector<std::string>& keys,
                     const std::vector<std::string>& values, const std::string& target) {
  return {numbers(keys), numbers(values), Rational::parse(target), {}, kernel};
}

TokenProblem named(const std::string& name, AttentionKernel kernel) {
  if (name == "SM1")
    return problem(kernel, {"-5", "-4", "0", "4", "5"}, {"1", "0", "3/2", "0", "1"}, "9/10");
  if (name == "GA1") return problem(kernel, {"-4", "0", "4"}, {"2", "1", "2"}, "9/5");
  if (name == "PAIR") return problem(kernel, {"0", "6"}, {"1", "2"}, "3/2");
  if (name == "VAL3") return problem(kernel, {"-1", "0", "2"}, {"0", "2", "1"}, "1/2");
  if (name == "FOUR") return problem(kernel, {"0", "5", "6", "8"}, {"3", "-1", "4", "2"}, "5/2");
  throw std::invalid_argument(name);
}

KernelInstance layer(const TokenProblem& token) {
  const std::size_t n = token.keys.size();
  KernelInstance m;
  m.X = {heed::token_readout(n)};
  m.readout = heed::token_readout(n);
  m.Y = {column(std::vector<Rational>(n, token.target))};
  m.beta = token.beta;
  m.kernel = token.kernel;
  m.weights.W_Q = {column(std::vector<Rational>(n))};
  m.weights.W_K = {column(token.keys)};
  m.weights.W_V = {column(token.values)};
  m.weights.W_O = {column({Rational(1)})};
  return m;
}

std::vector<heed::Matrix<Rational>> small_fractions(std::size_t number, std::size_t rows,
                                                    std::size_t cols, int& state) {
  std::vector<heed::Matrix<Rational>> list(number, heed::Matrix<Rational>(rows, cols));
  for (auto& m : list)
    for (Rational& x : m.entries()) {
      state = (state * 37 + 11) % 101;
      x = Rational(state % 9 - 4, 1 + state % 3);
    }
  return list;
}

bool is_near(const Ball& x, const std::string& decimal, int digits) {
  const Ball distance = abs(x - Ball(Rational::parse(decimal)));
  return certainly(less(distance + x.radius(), heed::power_of_ten(-digits)));
}

std::string kinds(const Landscape1d& landscape) {
  std::string text;
  for (const heed::CriticalPoint& p : landscape.points) {
    if (!text.empty()) text += ", ";
    text += to_string(p.kind);
    if (p.is_minimum() && certainly_not(p.global)) text += "*";
  }
  return text;
}

std::vector<AttentionKernel> all_kernels() {
  return {std::begin(heed::attention_kernels), std::end(heed::attention_kernels)};
}

}  // namespace landscape_test
