// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/query_kernel.ipp"

namespace heed {

template class QueryKernel<double>;
template class QueryKernel<DoubleBall>;
template class QueryKernel<Ball>;

}  // namespace heed
