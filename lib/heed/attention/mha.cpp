// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha.ipp"

namespace heed {

template class MhaModel<double>;
template class MhaModel<DoubleBall>;
template class MhaModel<Ball>;
template LossTerms<double> loss_terms_at(Loss, const double&);
template LossTerms<DoubleBall> loss_terms_at(Loss, const DoubleBall&);
template LossTerms<Ball> loss_terms_at(Loss, const Ball&);

}  // namespace heed
