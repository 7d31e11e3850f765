// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/detail/layer_lanes.ipp"

namespace heed::approx::detail {
const LayerKernels avx512_layer = layer;
}
