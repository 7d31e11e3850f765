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
MatrixXd schur_matrix(const RowsOf<double>& rows, const MatrixXd& Y, const MatrixXd& X);

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor; false if a pivot is
/// not positive.
bool cholesky(MatrixXd& h);

/// h^-1 x for such a factor.
VectorXd cholesky_solve(const MatrixXd& factor, VectorXd x);

/// l^-1 for the lower triangle l of a matrix.
MatrixXd inverse_lower(const MatrixXd& l);

/// The products a b, a b^T and a^T b, with the kernels for this processor.
MatrixXd product(const MatrixXd& a, const MatrixXd& b);
MatrixXd product_nt(const MatrixXd& a, const MatrixXd& b);
MatrixXd product_tn(const MatrixXd& a, const MatrixXd& b);

/// The same for other scalars, in plain loops of Eigen.
template <class M>
M product(const M& a, const M& b) {
  return a * b;
}
template <class T>
typename RowsOf<T>::MatrixT schur_matrix(const RowsOf<T>& rows,
                                         const typename RowsOf<T>::MatrixT& Y,
                                         const typename RowsOf<T>::MatrixT& X) {
  using M = typename RowsOf<T>::MatrixT;
  const M &A = rows.A, &Z = rows.Z;
  const Index m = rows.size(), p = A.rows(), q = Z.rows();
  const M YA = A.transpose() * Y.topLeftCorner(p, p) * A;
  const M XA = A.transpose() * X.topLeftCorner(p, p) * A;
  const M YZ = Z.transpose() * Y.bottomRightCorner(q, q) * Z;
  const M XZ = Z.transpose() * X.bottomRightCorner(q, q) * Z;
  const M YM = A.transpose() * Y.topRightCorner(p, q) * Z;
  const M XM = A.transpose() * X.topRightCorner(p, q) * Z;
  M H(m, m);
  for (Index l = 0; l < m; ++l)
    for (Index k = l; k < m; ++k) {
      const Index i = rows.query_of(k), j = rows.query_of(l);
      H(k, l) =
          YA(k, l) * XZ(i, j) + YZ(i, j) * XA(k, l) + YM(l, i) * XM(k, j) + YM(k, j) * XM(l, i);
      H(l, k) = H(k, l);
    }
  return H;
}

}  // namespace heed::detail
