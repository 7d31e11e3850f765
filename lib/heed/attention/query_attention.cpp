// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/query_attention.ipp"

namespace heed {

template class QueryModel<double>;
template class QueryModel<DoubleBall>;
template class QueryModel<Ball>;

template QueryFactors<double> factor_gradient(const QueryModel<double>&,
                                              const QueryFactors<double>&);
template QueryFactors<DoubleBall> factor_gradient(const QueryModel<DoubleBall>&,
                                                  const QueryFactors<DoubleBall>&);
template QueryFactors<Ball> factor_gradient(const QueryModel<Ball>&, const QueryFactors<Ball>&);
template QueryFactors<double> factor_hessian_vector_product(const QueryModel<double>&,
                                                            const QueryFactors<double>&,
                                                            const QueryFactors<double>&);
template QueryFactors<DoubleBall> factor_hessian_vector_product(const QueryModel<DoubleBall>&,
                                                                const QueryFactors<DoubleBall>&,
                                                                const QueryFactors<DoubleBall>&);
template QueryFactors<Ball> factor_hessian_vector_product(const QueryModel<Ball>&,
                                                          const QueryFactors<Ball>&,
                                                          const QueryFactors<Ball>&);

}  // namespace heed
