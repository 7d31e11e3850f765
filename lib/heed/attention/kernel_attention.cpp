// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/kernel_attention.ipp"

namespace heed {

template struct KernelInputs<double>;
template struct KernelInputs<DoubleBall>;
template struct KernelInputs<Ball>;
template struct KernelInputs<Rational>;
template class KernelModel<double>;
template class KernelModel<DoubleBall>;
template class KernelModel<Ball>;
template class KernelModel<Rational>;

}  // namespace heed
