// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT, Boost.Multiprecision, MPFR, Eigen.

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

  /// Refines the multipliers of the rows in use with a factor of the system; exchanges rows whose
  /// multiplier or slack turns out negative.
  template <class S>
  void improve(const GramSystem<S>& system, std::vector<std::size_t> active) {
    for (int exchange = 0; exchange <= most_exchanges; ++exchange) {
      const std::optional<ApproxSolve> solve = factor(system, active);
      if (!solve || !improve_with(*solve, active)) return;
    }
  }

  /// hi/lo - 1 <= 2^-bits.
  bool narrow() const;
  const std::optional<Candidate>& best() const { return best_; }

 private:
  static constexpr int most_exchanges = 8;
  static constexpr int guard_bits = 32;

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
