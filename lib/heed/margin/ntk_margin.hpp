// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "heed/attention/mha.hpp"
#include "heed/data/instance.hpp"
#include "heed/margin/kernel_margin.hpp"

namespace heed {

/// NTK margin of the multi-head model at its weights: with psi_i = grad Phi(X_i),
///
///     gamma = max_{||v|| <= 1} min_i y_i <psi_i, v>.
///
/// gamma > 0 exactly if some direction v of the parameters raises every margin to first order.
struct NtkMargin {
  KernelMargin bounds;
  /// gamma^2, where the features are rational up to a common factor (see rational_ntk_features).
  std::optional<Rational> squared;
};

/// y_i y_j <psi_i, psi_j> for i, j in 0 .. n-1, in balls.
template <class S>
Matrix<Ball> signed_ntk_kernel(const MhaModel<S>& model);

/// Encloses gamma from the n x n kernel at the working precision; see kernel_margin.hpp.
///
/// gamma = 0 is proved where two equal samples have opposite labels, or where a feature is exactly 0;
/// a margin that is 0 for another reason ends as [0, upper]. S: Ball or DoubleBall.
/// Cost: n^2 P for the kernel, P parameters. Note: proofs-notes/ntk.md.
template <class S>
KernelMargin ntk_margin(const MhaModel<S>& model);

/// y_i sqrt(H) psi_i, exactly: n x P, in the order of the parameters of MhaModel. Only where all
/// attention is uniform because the logits of each row are equal exactly (W = 0, or T = 1, or equal
/// tokens ...), else nothing. Precondition: the instance has weights.
std::optional<Matrix<Rational>> rational_ntk_features(const MhaInstance& instance);

/// gamma^2 and an optimal alpha, exactly, where the features are rational; `bounds` encloses gamma at
/// the working precision, and proves gamma = 0 whenever it is. Nothing if they are not rational, or if
/// there are more than 10^6 numbers in all features or more than 200 samples.
/// Cost: that of exact_frobenius for n rows.
std::optional<NtkMargin> exact_ntk_margin(const MhaInstance& instance);

extern template Matrix<Ball> signed_ntk_kernel(const MhaModel<DoubleBall>&);
extern template Matrix<Ball> signed_ntk_kernel(const MhaModel<Ball>&);
extern template KernelMargin ntk_margin(const MhaModel<DoubleBall>&);
extern template KernelMargin ntk_margin(const MhaModel<Ball>&);

}  // namespace heed
