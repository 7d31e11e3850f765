// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/detail/mha_kernels.hpp"

#include <cstring>

namespace heed::approx::detail {

const MhaKernels& mha_kernels(const char* limit) {
  const bool any = limit == nullptr || *limit == '\0' || std::strcmp(limit, "avx512") == 0;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (any && avx2 && __builtin_cpu_supports("avx512f")) return avx512_kernels;
  if ((any || std::strcmp(limit, "avx2") == 0) && avx2) return avx2_kernels;
#endif
  return baseline_kernels;
}

}  // namespace heed::approx::detail
