// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/detail/mha_lanes.ipp"

namespace heed::approx::detail {
const MhaKernels avx2_kernels = kernels;
}
