// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// Encloses all eigenvalues of a symmetric matrix A, rising: those of A + c I with c >= ||A||_2 are its
/// singular values, see singular_values.
///
/// Guarantee: the k-th ball contains the k-th eigenvalue of every symmetric matrix in A. Aim: absolute
/// error about 2^-bits/2 ||A||. Not guaranteed: that an eigenvalue 0 is enclosed by exactly 0.
/// Precondition: square; the lower triangle is read.
/// Cost: some 10 sweeps of 4 m^3 multiplications.
std::vector<Ball> symmetric_eigenvalues(const Matrix<Ball>& a);

}  // namespace heed
