// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "heed/margin/margin_problem.hpp"

namespace heed::approx {

enum class FrobeniusEnd { optimal, infeasible_suspected, iteration_limit, no_constraints };

/// `optimal`, `infeasible suspected`, `iteration limit` or `no constraints`.
std::string_view word(FrobeniusEnd end);

/// Multipliers of min ||W||_F^2 in double, W = sum lambda_k A_k + sum mu_j E_j.
struct FrobeniusMultipliers {
  FrobeniusEnd end = FrobeniusEnd::iteration_limit;
  std::vector<double> lambda;       ///< one an inequality, >= 0
  std::vector<double> mu;           ///< one an equality
  std::vector<std::size_t> active;  ///< inequalities with a positive multiplier
  double norm2 = 0;                 ///< sum of lambda: ||W||_F^2 at the optimum
};

/// Solves a max-margin problem in the Frobenius norm in double: a dual active set method on the Gram
/// matrix of the rows, scaled to unit diagonal; beyond 150 rows with a first guess by dual coordinate
/// descent and exchanges of whole blocks. Equal rows, and rows that follow from others because they
/// are multiples of them, count once: one of them gets the multiplier.
///
/// No error bound: rows that nearly cancel may be called infeasible although they are not, and the
/// other way round. exact_frobenius and frobenius_bracket prove what they say.
/// Cost: O(m^2 (p + q)) for the Gram matrix, O(m s + s^2) an exchange, s rows in use; 8 m^2 bytes.
FrobeniusMultipliers frobenius_multipliers(const MarginProblem& problem);

}  // namespace heed::approx
