// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT, Boost.Multiprecision, MPFR, Eigen.

#include <functional>
#include <optional>
#include <vector>

#include "heed/margin/detail/frobenius_bounds.hpp"
#include "heed/margin/detail/refined_multipliers.hpp"

namespace heed::detail {

/// Looks for multipliers that prove a narrow bracket, from guesses of the rows in use.
class BracketSearch {
 public:
  BracketSearch(const IntegerProblem& problem, const RowScales& scales, int bits);

  struct Candidate {
    std::vector<std::size_t> index;
    std::vector<Integer> x;
    Integer scale;  ///< x / scale is near the optimal multipliers of the IntegerProblem
    FrobeniusBounds bounds;
  };

  /// What solves for the multipliers of the rows in use, if it can.
  using Factor = std::function<std::optional<ApproxSolve>(const std::vector<std::size_t>&)>;

  /// Refines the multipliers of the rows in use; exchanges rows whose multiplier or slack turns out
  /// negative.
  void improve(const Factor& factor, std::vector<std::size_t> active);

  /// hi/lo - 1 <= 2^-bits.
  bool narrow() const;
  const std::optional<Candidate>& best() const { return best_; }

 private:
  // True if `active` was exchanged for another set worth trying.
  bool improve_with(const ApproxSolve& solve, std::vector<std::size_t>& active);
  void keep_better(const std::vector<std::size_t>& active, const RefinedMultipliers& refined);
  Combination with_equalities(Candidate& candidate, const Combination& at);

  const IntegerProblem& problem_;
  const RowScales& scales_;
  int bits_;
  std::vector<std::size_t> equalities_;  // independent ones
  std::optional<Candidate> best_;
};

}  // namespace heed::detail
