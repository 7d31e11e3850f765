// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/detail/scaled_rows.hpp"

namespace heed::detail {

/// A rough solution of min ||V||_F under the same constraints.
struct FrobeniusCrash {
  MatrixXd W;              ///< sum l_k A_k
  double lower_bound = 0;  ///< b^T l / ||W||_F, up to rounding a lower bound of min ||V||_F
  Index support = 0;       ///< number of positive multipliers
};

/// Dual coordinate descent in order of the rows, some tens of rounds. Cost of a round: m n p.
FrobeniusCrash frobenius_crash(const ScaledRows& rows);

}  // namespace heed::detail
