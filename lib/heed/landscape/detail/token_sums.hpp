// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "heed/landscape/detail/exp_sum.hpp"
#include "heed/landscape/token_problem.hpp"

namespace heed::detail {

/// phi - y and phi', each times a positive function of q, and what is exact about phi.
struct TokenSums {
  ExpSum residual, slope;
  Rational limit_minus, limit_plus;  ///< of phi
  /// phi(2 c - q) = phi(q) by a reflection of the keys and values.
  std::optional<Rational> centre;
  /// Largest s such that all differences of keys are multiples of it; 0 if all are equal.
  Rational step;
  Rational least_key;
};

TokenSums token_sums(const TokenProblem& problem);

}  // namespace heed::detail
