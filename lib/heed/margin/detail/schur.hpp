// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/detail/scaled_rows.hpp"

namespace heed::detail {

/// Lower triangle of the m x m matrix with entries
///
///     (a_k^T Y11 a_l)(z_k^T X22 z_l) + (z_k^T Y22 z_l)(a_k^T X11 a_l)
///       + (a_l^T Y12 z_k)(a_k^T X12 z_l) + (a_k^T Y12 z_l)(a_l^T X12 z_k),
///
/// Y, X symmetric of order p + q: 4 tr(E_k Y E_l X) for E_k = [[0, A_k], [A_k^T, 0]] / 2.
/// Cost: m^2 (p / 2 + 2) multiplications.
MatrixXd schur_matrix(const ScaledRows& rows, const MatrixXd& Y, const MatrixXd& X);

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor; false if a pivot is not
/// positive.
bool cholesky(MatrixXd& h);

/// h^-1 x for such a factor.
VectorXd cholesky_solve(const MatrixXd& factor, VectorXd x);

/// The products a b and a^T b.
MatrixXd product(const MatrixXd& a, const MatrixXd& b);
MatrixXd product_tn(const MatrixXd& a, const MatrixXd& b);

}  // namespace heed::detail
