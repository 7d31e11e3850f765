// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// The solution of A x = b over the rationals; nothing if A is singular. A: n x n.
/// Cost: n^3/3 exact operations on numbers that grow; so for the two below.
std::optional<std::vector<Rational>> solve_exactly(Matrix<Rational> a, std::vector<Rational> b);

/// Some x with A x = b, exactly; 0 in the coordinates that the others determine. A: n x n, perhaps
/// singular. Precondition: the system has a solution.
std::vector<Rational> solve_consistent(Matrix<Rational> a, std::vector<Rational> b);

/// A basis of {c : A c = 0}, A: n x n; one vector for each coordinate that depends on those before.
std::vector<std::vector<Rational>> null_space(Matrix<Rational> a);

/// True if the symmetric A has no negative eigenvalue, decided exactly: over the integers, by
/// elimination without exchanges, where a zero pivot is accepted only if the rest of its row is zero.
/// Cost: n^3/3 products of minors.
bool is_positive_semidefinite(const Matrix<Rational>& a);

}  // namespace heed
