// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "exp_sum.hpp"

namespace heedcheck {

// Of one token, the critical points of its loss g(q) = (phi(q) - y)^2 / 2: all of them lie in the
// range, one in each of the intervals [lower_j, upper_j], which rise.
struct CriticalList {
  mpq_class range[2];
  Rationals lower, upper;
};
std::vector<CriticalList> read_critical(const Value& value, const Layer& layer);

// What follows of f as a function of W_Q. Minima are counted in queries: of W_Q there are as many if
// D = N n, and as many families else.
struct SeparateLandscape {
  // Absent where phi is constant for some token; the second also unless it is known of each minimum.
  std::optional<mpz_class> minima, global;
  bool benign = false;       // proved: every local minimum is global
  bool bad_minimum = false;  // proved: there is one that is not
  std::size_t constant = 0;  // tokens where phi is constant
  mpq_class infimum_lo, infimum_hi;
};

// Theorem L9: the lists are complete. Throws Invalid if that is not proved.
SeparateLandscape prove_complete(const Layer& layer, const std::vector<CriticalList>& critical);

}  // namespace heedcheck
