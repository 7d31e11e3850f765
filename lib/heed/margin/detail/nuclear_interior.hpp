// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/detail/scaled_rows.hpp"

namespace heed::detail {

/// A pair of the semidefinite programs
///
///     min tr(Y)/2   subject to  Y >= 0,  <A_k, Y12> - w_k = b_k,  w >= 0
///     max b^T l     subject to  S = [[I, -M], [-M^T, I]] / 2 >= 0,  M = sum l_k A_k,  l >= 0
///
/// (w_k = 0 and l_k free for equalities), whose common value is min ||V||_*.
struct InteriorPoint {
  MatrixXd Y, S;
  VectorXd l, w;
  double gap = 0;            ///< (tr(Y)/2 - b^T l) / max(1, b^T l)
  double infeasibility = 0;  ///< max |<A_k, Y12> - w_k - b_k| / (1 + max b)
  double dual = 0;           ///< b^T l; a lower bound of the value, up to rounding
};

/// Primal-dual interior point (HKM direction, predictor and corrector) until gap and infeasibility are
/// below `tolerance`, the steps are no longer of use, or the dual exceeds `give_up`.
/// `start`: multiple of the identity at which Y starts.
InteriorPoint interior_point(const ScaledRows& rows, double start, double tolerance,
                             double give_up);

}  // namespace heed::detail
