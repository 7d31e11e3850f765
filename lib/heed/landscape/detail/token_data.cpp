// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/token_data.hpp"

#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/product.hpp"

namespace heed::detail {

Matrix<Rational> keys_of(const KernelInstance& instance, std::size_t sample, std::size_t head) {
  return multiply(instance.X[sample], instance.weights.W_K[head]);
}

Matrix<Rational> queries_of(const KernelInstance& instance, std::size_t sample, std::size_t head) {
  return multiply(instance.X[sample], instance.weights.W_Q[head]);
}

Matrix<Rational> values_of(const KernelInstance& instance, std::size_t sample, std::size_t head) {
  return multiply(instance.X[sample],
                  multiply(instance.weights.W_V[head], instance.weights.W_O[head]));
}

Matrix<Rational> stacked_tokens(const KernelInstance& instance) {
  Matrix<Rational> x(instance.samples() * instance.tokens(), instance.dim());
  std::size_t at = 0;
  for (const Matrix<Rational>& sample : instance.X)
    for (const Rational& entry : sample.entries()) x.data()[at++] = entry;
  return x;
}

bool is_token_readout(const KernelInstance& instance) {
  return instance.readout == token_readout(instance.tokens());
}

bool has_orthonormal_tokens(const KernelInstance& instance) {
  const Matrix<Rational> x = stacked_tokens(instance);
  return multiply_transposed(x, x) == token_readout(x.rows());
}

std::string coupling(const KernelInstance& instance) {
  if (!is_token_readout(instance)) return "the read-out is not the identity";
  const Matrix<Rational> x = stacked_tokens(instance);
  if (x.cols() < x.rows())
    return "D = " + std::to_string(x.cols()) + " is below N n = " + std::to_string(x.rows());
  if (exact_rank(x) < x.rows()) return "the tokens of all samples are linearly dependent";
  return "";
}

}  // namespace heed::detail
