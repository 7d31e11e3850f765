// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// landscape.minimum: the free Hessian is positive definite over the whole box.
struct MinimumResult {
  Verdict verdict;  ///< proved, or undecided
  Ball least;       ///< encloses the least eigenvalue of the free Hessian at every point of the box
  Ball largest;     ///< and the largest
  bool gauged = false;  ///< coordinates are frozen
  /// Of all trained coordinates a local minimum, strict modulo the flat directions, if stationary:
  /// nothing frozen, or frozen coordinates transversal with FlatScope::nearby. Otherwise the claim is
  /// about the slice of the frozen coordinates only.
  bool of_all = true;
  std::string words;  ///< what is claimed
};

/// landscape.not_minimum: sup v^T H(box) v < 0 for a dyadic v, padded by zeros at frozen coordinates.
struct NotMinimumResult {
  Verdict verdict;
  std::vector<Rational> v;  ///< of all trained coordinates
  Ball along_v;             ///< v^T H v
};

/// landscape.saddle: not_minimum, and inf u^T H(box) u > 0.
struct SaddleResult {
  Verdict verdict;
  std::vector<Rational> u, v;
  Ball along_u, along_v;
};

/// Index: the number of negative eigenvalues of the free Hessian, none of them 0, by V^T H V with
/// |I - V^T V| < 1 and Gershgorin discs that exclude 0.
struct IndexResult {
  Verdict verdict;
  std::size_t index = 0;
  Matrix<Rational> V;  ///< dyadic, approximate eigenvectors in the free coordinates, by columns
};

/// Each certifies at the working precision over the box; directions that are not given are
/// searched. With frozen coordinates index and minimum are those of the slice. A statement about the stationary point in the box needs `certify_stationary` for the same
/// box. Errors: std::invalid_argument for what does not fit, and for v, u not zero where frozen.
MinimumResult certify_minimum(const LandscapeProblem& problem, const PointBox& box);
NotMinimumResult certify_not_minimum(const LandscapeProblem& problem, const PointBox& box,
                                     std::vector<Rational> v = {});
SaddleResult certify_saddle(const LandscapeProblem& problem, const PointBox& box,
                            std::vector<Rational> u = {}, std::vector<Rational> v = {});
IndexResult certify_index(const LandscapeProblem& problem, const PointBox& box,
                          Matrix<Rational> V = {});

/// All of them from one Hessian over the box.
struct CurvatureResults {
  MinimumResult minimum;
  NotMinimumResult not_minimum;
  SaddleResult saddle;
  IndexResult index;
};
CurvatureResults certify_curvature(const LandscapeProblem& problem, const PointBox& box);

}  // namespace heed
