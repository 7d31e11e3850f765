// SPDX-License-Identifier: Apache-2.0
#define HEED_ISA "baseline"
#include "heed/linalg/detail/dense_kernels.ipp"

namespace heed::detail {

const DenseKernels& dense_kernels_baseline() { return table; }

const DenseKernels& dense_kernels() {
  static const DenseKernels& best = [&]() -> const DenseKernels& {
    const DenseKernels* v3 = dense_kernels_v3();
    return v3 != nullptr ? *v3 : dense_kernels_baseline();
  }();
  return best;
}

}  // namespace heed::detail
