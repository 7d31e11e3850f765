// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// Encloses the nuclear norm ||A||_* (the sum of the singular values) of every matrix in the balls.
///
/// From approximate singular triples (u_j, s_j, v_j) of the midpoints (one-sided Jacobi at the working
/// precision), with V = sum_j u_j v_j^T over the s_j that are not negligible:
///
///     <A, V> / (||U||_2 ||V||_2)  <=  ||A||_*  <=  sum_j s_j |u_j| |v_j| + sqrt(min(p, q)) ||A - sum_j s_j u_j v_j^T||_F
///
/// ||U||_2^2 <= 1 + ||U^T U - I||_F. Guarantee: containment, whatever the triples are. Aim: a relative
/// width of about p q 2^-bits beside the radii of A. An entry that is not finite gives a result that
/// is not finite. Cost: about 10 sweeps of 6 p q min(p, q) multiplications.
/// Source: duality of the operator norm and the nuclear norm.
Ball nuclear_norm(const Matrix<Ball>& a);

}  // namespace heed
