// SPDX-License-Identifier: Apache-2.0
#define HEED_ISA "baseline"
#include "heed/linalg/detail/dense_kernels.ipp"

namespace heed::detail {

const DenseKernels& dense_kernels_baseline() { return table; }

const DenseKernels* dense_kernels_v3() {
#if defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported ? compiled_dense_kernels_v3 : nullptr;
#else
  return nullptr;
#endif
}

const DenseKernels& dense_kernels() {
  static const DenseKernels* const v3 = dense_kernels_v3();
  return v3 != nullptr ? *v3 : table;
}

}  // namespace heed::detail
