// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::checks {

/// Query attention in its textbook forms, written independently of the library: softmax of the plain
/// logits, gamma = y X grad h(o), g = s o (gamma - s^T gamma), products by the derivatives of s, gamma
/// and g; p = 1/(1 + e^u).
///
/// These forms cancel, so they are evaluated at a precision that grows with the logits; every value
/// encloses the exact one at whatever precision. A ReLU unit whose input may be 0 counts as off.
class QueryTextbook {
 public:
  /// False if logits or margins are too large (3000) for the textbook forms to be of use.
  static bool feasible(const QueryInstance& instance);
  /// Precision at which the cancellations of the textbook forms are harmless.
  static int bits_for(const QueryInstance& instance);

  /// Evaluates at the working precision, at the first point of the instance.
  explicit QueryTextbook(const QueryInstance& instance);

  std::vector<std::vector<Ball>> attention;
  std::vector<Ball> margins;
  Ball loss;
  Matrix<Ball> gradient, product;  ///< d x d; product = (hess L)[direction]
};

}  // namespace heed::checks
