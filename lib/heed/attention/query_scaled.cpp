// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/query_scaled.ipp"

namespace heed {

template struct ScaledGradient<double>;
template struct ScaledGradient<DoubleBall>;
template struct ScaledGradient<Ball>;
template ScaledGradient<double> scaled_query_gradient(const QueryModel<double>&);
template ScaledGradient<DoubleBall> scaled_query_gradient(const QueryModel<DoubleBall>&);
template ScaledGradient<Ball> scaled_query_gradient(const QueryModel<Ball>&);

}  // namespace heed
