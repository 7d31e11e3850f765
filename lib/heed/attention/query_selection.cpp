// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/query_selection.ipp"

namespace heed {

template TokenOdds<double> token_odds(const QueryModel<double>&, std::size_t, std::size_t);
template TokenOdds<DoubleBall> token_odds(const QueryModel<DoubleBall>&, std::size_t, std::size_t);
template TokenOdds<Ball> token_odds(const QueryModel<Ball>&, std::size_t, std::size_t);
template QueryExcess<double> query_excess(const QueryModel<double>&);
template QueryExcess<DoubleBall> query_excess(const QueryModel<DoubleBall>&);
template QueryExcess<Ball> query_excess(const QueryModel<Ball>&);

}  // namespace heed
