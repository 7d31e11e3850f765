// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// Encloses all singular values of A (p x q), falling; min(p, q) of them.
///
/// From approximate singular triples (one-sided Jacobi at the working precision), with the distances
/// of Weyl and Ostrowski: detail/singular_triples.hpp.
/// Guarantee: containment, whatever the triples are. Aim: absolute error about 2^-bits ||A||.
/// Not guaranteed: that a singular value 0 is enclosed by exactly 0.
/// Cost: about 10 sweeps of 6 p q min(p, q) multiplications.
/// Note: proofs-notes/singular_values.md.
std::vector<Ball> singular_values(const Matrix<Ball>& a);

/// The same with triples from a decomposition in double: about 1e-14 ||A|| wide, much faster.
/// Cost: a decomposition in double and k (2 p q + p^2 + q^2) products of balls at least.
std::vector<Ball> fast_singular_values(const Matrix<Rational>& a);

}  // namespace heed
