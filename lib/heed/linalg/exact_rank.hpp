// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// The rank over the rationals, exactly. Rows are first cleared of their denominators.
/// Cost: eliminations modulo word-size primes, then FLINT's proof of the rank (fmpz_mat_rank).
std::size_t exact_rank(const Matrix<Rational>& a);

}  // namespace heed
