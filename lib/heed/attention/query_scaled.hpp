// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/query_attention.hpp"

namespace heed {

/// grad L = e^log_scale rows^T Z.
template <class S>
struct ScaledGradient {
  Matrix<S> rows;  ///< n x d
  /// A double, exactly. Chosen such that the largest term s_t |delta_t - e| |x_r - x_t| |z| |l'| / n
  /// has a magnitude between 1/8 and 8 or so; 0 where all terms vanish.
  S log_scale;

  /// grad L without the factor: its direction. d x d.
  Matrix<S> direction(const QueryInputs<S>& inputs) const;
};

/// The gradient divided by its largest term before the exponentials are taken: also where all
/// of it is far below the range of the scalar (logit gaps of 800 in double), its direction keeps full
/// relative accuracy, as normalised gradient descent needs it.
///
/// Where the score of a token ties with that of the reference, delta_t - e = -e, and e itself is
/// summed in logarithms. Exact duplicates of the reference contribute nothing. Heads: all; the tie is
/// recognised where delta_t is exactly 0.
/// Guarantee and errors as for QueryModel::gradient; `rows` times e^log_scale encloses.
/// Cost: two more exponentials a token. Note: proofs-notes/query_attention.md.
template <class S>
ScaledGradient<S> scaled_query_gradient(const QueryModel<S>& model);

extern template struct ScaledGradient<double>;
extern template struct ScaledGradient<DoubleBall>;
extern template struct ScaledGradient<Ball>;
extern template ScaledGradient<double> scaled_query_gradient(const QueryModel<double>&);
extern template ScaledGradient<DoubleBall> scaled_query_gradient(const QueryModel<DoubleBall>&);
extern template ScaledGradient<Ball> scaled_query_gradient(const QueryModel<Ball>&);

}  // namespace heed
