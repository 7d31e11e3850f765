// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// landscape.zero_loss, of kernel.existence for the trained blocks: within `radius` of the point (in
/// all trained coordinates together) lies one with f = 0, a global minimum. It need not be isolated:
/// with more coordinates than residuals it is not.
struct ZeroLossResult {
  /// proved; not_applicable with the reason: sigma > 0 or h <= 1/2 is not proved. Never refuted.
  Verdict verdict;
  Ball radius;         ///< t* <= 2 |r| / sigma, an upper bound is what counts
  Ball sigma, R, L_J;  ///< sigma_min(J) at the point; L_J(R) with t* <= R
};

/// Newton and Kantorovich at the point, theta: a flat vector of trained coordinates.
/// Aim: |r| below about sigma^2 / (2 L_J), which is what descent to f = 0 ends at.
/// Errors: std::invalid_argument if theta has another size.
/// Cost: the Jacobian and an eigenvalue problem of order N m p, at the working precision.
/// Note: proofs-notes/kernel_convergence.md.
ZeroLossResult certify_zero_loss(const LandscapeProblem& problem,
                                 const std::vector<Rational>& theta);

}  // namespace heed
