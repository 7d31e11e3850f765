// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/approx_gradient.hpp"

#include "heed/attention/mha.hpp"

namespace heed::approx {

std::vector<double> gradient(const MhaInstance& instance) {
  return MhaModel<double>(mha_inputs<double>(instance)).gradient();
}

}  // namespace heed::approx
