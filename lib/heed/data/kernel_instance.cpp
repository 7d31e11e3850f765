// SPDX-License-Identifier: Apache-2.0
#include "heed/data/kernel_instance.hpp"

#include "heed/data/write.hpp"

namespace heed {

std::string_view kernel_word(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::gaussian:
      return "gaussian";
    case AttentionKernel::gaussian_over_n:
      return "gaussian/n";
    case AttentionKernel::gaussian_normalised:
      return "gaussian-normalised";
    case AttentionKernel::softmax:
      break;
  }
  return "softmax";
}

std::optional<AttentionKernel> parse_kernel(std::string_view word) {
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian, AttentionKernel::gaussian_over_n,
        AttentionKernel::gaussian_normalised}) {
    if (word == kernel_word(kernel)) return kernel;
  }
  return std::nullopt;
}

bool is_normalised(AttentionKernel kernel) {
  return kernel == AttentionKernel::softmax || kernel == AttentionKernel::gaussian_normalised;
}

bool has_distances(AttentionKernel kernel) { return kernel != AttentionKernel::softmax; }

Matrix<Rational> token_readout(std::size_t n) {
  Matrix<Rational> u(n, n);
  for (std::size_t a = 0; a < n; ++a) u(a, a) = Rational(1);
  return u;
}

Matrix<Rational> pooled_readout(std::size_t n) {
  Matrix<Rational> u(1, n);
  for (std::size_t a = 0; a < n; ++a) u(0, a) = Rational(1) / Rational(static_cast<long>(n));
  return u;
}

KernelBeta inverse_root_beta(std::size_t d) {
  std::size_t root = 1;
  while (root * root < d) ++root;
  const bool square = root * root == d;
  return {Rational(1) / Rational(static_cast<long>(square ? root : d)), !square};
}

std::string beta_text(const KernelInstance& instance) {
  return instance.beta.root ? "1/sqrt(d)" : exact_text(instance.beta.value);
}

std::string readout_word(const KernelInstance& instance) {
  const std::size_t n = instance.tokens();
  return instance.readout == token_readout(n)    ? "token"
         : instance.readout == pooled_readout(n) ? "pooled"
                                                 : "";
}

std::vector<AttentionKernel> reported_kernels(const KernelInstance& instance) {
  if (instance.kernel) return {*instance.kernel};
  return {AttentionKernel::softmax, AttentionKernel::gaussian};
}

bool same_numbers(const KernelInstance& a, const KernelInstance& b) {
  return a.X == b.X && a.Y == b.Y && a.readout == b.readout && a.beta == b.beta &&
         a.kernel == b.kernel && a.weights == b.weights;
}

}  // namespace heed
