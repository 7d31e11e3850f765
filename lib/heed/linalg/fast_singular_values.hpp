// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// Enclosures of the singular values of A at the speed of double (singular_values: any precision), by descending midpoint; min(rows, columns) of them,
/// about 1e-14 ||A|| wide.
///
/// From a decomposition U D V^T in double, with U and V taken as they are: by Weyl and Ostrowski
/// sigma_j(A) lies within ||A - U D V^T||_F of D_j t, where |t - 1| <= max(||U^T U - I||, ||V^T V -
/// I||).
/// Cost: a decomposition in double and k (2 p q + p^2 + q^2) products of balls at least.
std::vector<Ball> fast_singular_values(const Matrix<Rational>& a);

}  // namespace heed
