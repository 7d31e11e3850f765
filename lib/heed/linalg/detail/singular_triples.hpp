// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::detail {

/// A = sum_j sigma_j left_j right_j^T, nearly: single points, rows left_j and right_j of about unit
/// length and about orthogonal, sigma > 0 falling.
struct SingularTriples {
  Matrix<Ball> left, right;  ///< r x p, r x q
  std::vector<Ball> sigma;
};

/// Of the midpoints of A (p x q): one-sided Jacobi at the working precision. Triples with sigma below
/// about 2^(16-bits) of the largest are left out.
/// Cost: about 10 sweeps of 6 p q min(p, q) multiplications.
SingularTriples approx_singular_triples(const Matrix<Ball>& a);

/// Encloses the singular values of A, min(p, q) of them, falling, whatever the triples are.
///
/// Those of sum_j sigma_j left_j right_j^T are t_j sigma_j with |t_j - 1| at most the larger of
/// ||L L^T - I||_F and ||R R^T - I||_F (Ostrowski), and 0 beyond r; those of A are no further from
/// them than the Frobenius norm of the difference (Weyl).
std::vector<Ball> enclose_singular_values(const Matrix<Ball>& a, const SingularTriples& triples);

/// ||M M^T - I||_F, M: r x n.
Ball orthonormality_defect(const Matrix<Ball>& rows);

/// A - sum_j sigma_j left_j right_j^T.
Matrix<Ball> residual(const Matrix<Ball>& a, const SingularTriples& triples);

}  // namespace heed::detail
