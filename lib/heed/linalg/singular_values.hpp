// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// Encloses all singular values of A (p x q), falling; min(p, q) of them.
///
/// With an approximate orthogonal V that nearly diagonalises G = A^T A (or A A^T): the eigenvalues of
/// V^T G V are its sorted diagonal entries up to ||off-diagonal||_F (Weyl), and theta_j times those of
/// G with |theta_j - 1| <= ||V^T V - I||_F (Ostrowski).
/// Guarantee: containment, whatever V is. Aim: absolute error about 2^-bits/2 ||A||.
/// Not guaranteed: that a singular value 0 is enclosed by exactly 0.
/// Cost: some 10 sweeps of 4 m^3 multiplications, m = min(p, q).
std::vector<Ball> singular_values(const Matrix<Ball>& a);

}  // namespace heed
