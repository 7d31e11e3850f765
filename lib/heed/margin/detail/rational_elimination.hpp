// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// Some x with G x = b, exactly; 0 in the coordinates that the others determine. Precondition: G is
/// square and the system has a solution. Cost: O(n^3) operations on numbers that grow.
std::vector<Rational> solve_consistent(const Matrix<Rational>& G, const std::vector<Rational>& b);

/// A basis of {c : G c = 0}, G square; one vector for each coordinate that depends on those before.
std::vector<std::vector<Rational>> null_space(const Matrix<Rational>& G);

}  // namespace heed::detail
