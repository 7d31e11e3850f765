// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_interior.ipp"

namespace heed::detail {

template InteriorPointOf<double> interior_point(const RowsOf<double>&, double, double, double);

}  // namespace heed::detail
