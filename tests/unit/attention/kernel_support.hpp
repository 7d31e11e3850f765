// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/attention/kernel_attention.hpp"
#include "heed/data/kernel_instance.hpp"

namespace heed::test {

/// The reference values of one kernel, to 50 digits.
struct KernelValues {
  AttentionKernel kernel;
  Rational loss;
  std::vector<Matrix<Rational>> attention;  ///< [i H + h]
  std::vector<Matrix<Rational>> outputs;
  KernelWeights<Rational> gradient;
  std::map<std::string, Rational> gradient_squared;  ///< by block word
  struct Gram {
    Rational least, largest;
  };
  std::map<std::string, Gram> grams;                    ///< by block word, and `all`
  std::map<std::string, Rational> ratios;               ///< |g|^2 / (2 mu f), where mu is not 0
  std::map<std::string, std::size_t> ranks;             ///< of J J^T
  std::vector<std::vector<Rational>> sigma_B, sigma_O;  ///< singular values by head, falling
  Matrix<Rational> query_hessian;
  std::vector<Rational> query_eigenvalues, query_key_eigenvalues;
  Rational hessian_least, hessian_largest;
};

struct KernelFixture {
  std::string file;
  KernelInstance instance;
  std::vector<KernelValues> values;  ///< softmax and gaussian
};

/// The reference files of kernel attention, by name.
std::vector<KernelFixture> kernel_fixtures();
/// One of them: "kernel_05_underflow.json".
KernelFixture kernel_fixture(const std::string& name);

}  // namespace heed::test
