// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// The solution of A x = b over the rationals; nothing if A is singular. A: n x n.
/// Cost: n^3/3 exact operations.
std::optional<std::vector<Rational>> solve_exactly(Matrix<Rational> a, std::vector<Rational> b);

/// True if the symmetric A has no negative eigenvalue: elimination without exchanges, where a zero
/// pivot is accepted only if the rest of its row is zero. Cost: n^3/3 exact operations.
bool is_positive_semidefinite(Matrix<Rational> a);

}  // namespace heed
