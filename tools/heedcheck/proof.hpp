// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "instance.hpp"

namespace heedcheck {

// Multipliers of the rows with these numbers; all others are 0.
struct Multipliers {
  std::vector<std::size_t> index;
  Integers value;
};

// M (times the scale of the instance, row-major) and total (times the denominator of the right
// sides) of proofs-notes/certificates.md, section 6.
struct Combination {
  Integers matrix;
  mpz_class total;
};
Combination combine(const Instance& instance, Problem problem, const Multipliers& lambda,
                    const Multipliers& mu);

// The point W / den; for nuc also ||B||^2 + ||C||^2, where W = B C^T.
struct Point {
  Integers W;
  mpz_class den = 1;
  mpz_class factor_norms = 0;
};

struct Bounds {
  Fraction lo, hi;
};

// Each throws Invalid unless its theorem applies: T3; T1, T2 or T4.
void prove_infeasible(Problem problem, const Combination& combination);
void prove_bounds(const Instance& instance, Problem problem, const Combination& combination,
                  const Point& point, const Bounds& bounds);

}  // namespace heedcheck
