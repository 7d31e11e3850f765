// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/detail/layer_kernels.hpp"

#include <cstring>

#include "heed/attention/detail/mha_kernels.hpp"

namespace heed::approx::detail {

const LayerKernels& layer_kernels(const char* limit) {
#if defined(__x86_64__)
  const char* set = mha_kernels(limit).name;
  if (std::strcmp(set, avx512_layer.name) == 0) return avx512_layer;
  if (std::strcmp(set, avx2_layer.name) == 0) return avx2_layer;
#else
  (void)limit;
#endif
  return baseline_layer;
}

}  // namespace heed::approx::detail
