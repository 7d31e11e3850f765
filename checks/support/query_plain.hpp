// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checks/support/query_textbook.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::checks {

/// The quantities of the claims about loss and landscape by plain formulas, from the textbook softmax,
/// for a linear head, at the working precision, about the first optimal token. One entry an input.
struct QueryPlain {
  std::vector<std::size_t> opt;
  std::vector<Ball> q, own;  ///< 1 - s_opt, s_opt
  std::vector<Ball> drop, excess, slope, c1, M1, delta, range;
  Ball mean_excess, gradient_norm;
  Matrix<Ball> gradient;

  explicit QueryPlain(const QueryInstance& instance);
};

}  // namespace heed::checks
