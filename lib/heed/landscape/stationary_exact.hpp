// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// landscape.stationary_exact. Where the attention is rational at a rational point,
///
///     softmax: all scores q_a.k_b of a row equal                       S = 11^T / n
///     gaussians: |q_a - k_b| = 0 for all a, b                          S = 11^T, 11^T / n
///     gaussian-normalised: all distances of a row equal                S = 11^T / n
///
/// the gradient is evaluated in rational numbers, up to the factor beta of W_Q and W_K.
struct ExactStationaryResult {
  /// proved: the gradient by the trained blocks is exactly 0; refuted: an entry is not, see the reason;
  /// not_applicable: the attention is not known to be rational.
  Verdict verdict;
  Rational loss;                   ///< exact; not for not_applicable
  std::vector<Rational> gradient;  ///< of the trained coordinates, W_Q and W_K divided by beta
  /// By the trained coordinates; empty where beta is irrational and W_Q or W_K is trained.
  Matrix<Rational> hessian;
};

ExactStationaryResult certify_stationary_exact(const LandscapeProblem& problem,
                                               const std::vector<Rational>& point);

/// v^T (hess f) v, exactly. Precondition: the Hessian is there and v has its order.
Rational curvature_along(const Matrix<Rational>& hessian, const std::vector<Rational>& v);

}  // namespace heed
