// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/mpfr_real.hpp"

#include "heed/margin/detail/nuclear_interior.ipp"

namespace heed::detail {

template InteriorPointOf<Real<200>> interior_point(const RowsOf<Real<200>>&, double, double,
                                                   double);

}  // namespace heed::detail
