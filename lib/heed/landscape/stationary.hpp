// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// landscape.stationary. With g and H the gradient and the Hessian in the free coordinates, c the
/// centre, and any matrix A,
///
///     K = c - A g(c) + (I - A H(box)) (box - c)   strictly inside the box
///
/// proves that the free gradient has exactly one zero in the box; where the frozen coordinates are
/// transversal to the flat directions (see `transversality`), it is a stationary point of all trained
/// blocks.
struct StationaryResult {
  /// proved; undecided: K is not inside; not_applicable: the frozen coordinates are not transversal.
  Verdict verdict;
  Matrix<Rational> preconditioner;  ///< A, in the free coordinates
  std::vector<Ball> image;          ///< K, by free coordinate
  bool isolated = false;            ///< exactly one zero of the free gradient, transversal or not
  Verdict transversal;
  Ball loss;           ///< contains f on the whole box, so f at the stationary point
  Ball gradient_norm;  ///< of all trained blocks at the centre
};

/// Certifies at the working precision. `preconditioner` may be empty: then A is the inverse of the
/// Hessian at the centre, rounded to dyadic numbers.
/// Errors: std::invalid_argument if the box or A does not fit.
/// Cost: a Hessian over the box and one at the centre. Note: proofs-notes/landscape.md.
StationaryResult certify_stationary(const LandscapeProblem& problem, const PointBox& box,
                                    Matrix<Rational> preconditioner = {});

}  // namespace heed
