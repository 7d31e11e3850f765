// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/kernel_attention.ipp"

namespace heed {

bool is_normalised(AttentionKernel kernel) {
  return kernel == AttentionKernel::softmax || kernel == AttentionKernel::gaussian_normalised;
}

bool has_distances(AttentionKernel kernel) { return kernel != AttentionKernel::softmax; }

template struct KernelInputs<double>;
template struct KernelInputs<DoubleBall>;
template struct KernelInputs<Ball>;
template struct KernelInputs<Rational>;
template class KernelModel<double>;
template class KernelModel<DoubleBall>;
template class KernelModel<Ball>;
template class KernelModel<Rational>;

}  // namespace heed
