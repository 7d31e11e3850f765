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
template <class T>
struct InteriorPointOf {
  typename RowsOf<T>::MatrixT Y, S;
  typename RowsOf<T>::VectorT l, w;
  double gap = 0;            ///< (tr(Y)/2 - b^T l) / max(b^T l, tr(Y)/200)
  double infeasibility = 0;  ///< max |<A_k, Y12> - w_k - b_k| / max b
  double dual = 0;           ///< b^T l; a lower bound of the value, up to rounding
};

using InteriorPoint = InteriorPointOf<double>;

/// Primal-dual interior point (HKM direction, predictor and corrector) until gap and infeasibility
/// are below `tolerance`, the steps are no longer of use, or the dual exceeds `give_up`.
/// `start`: multiple of the identity at which Y starts.
/// Instantiated for double and for Real<50>, Real<100>, Real<200>.
template <class T>
InteriorPointOf<T> interior_point(const RowsOf<T>& rows, double start, double tolerance,
                                  double give_up);

}  // namespace heed::detail
