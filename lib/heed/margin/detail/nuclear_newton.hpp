// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "heed/margin/detail/dense_factors.hpp"
#include "heed/margin/detail/scaled_rows.hpp"

namespace heed::detail {

/// The equations of an optimal pair V = (B; C), V B C^T = W, with the rows of a list active:
///
///     V - [[0, M], [M^T, 0]] V = R = 0,     b_k - <A_k, B C^T> = c_k = 0,     M = sum l_k A_k,
///
/// linearised at (V, l). Columns of V may be rotated, V Q, without changing W; the steps are those
/// with a symmetric component along the kernel of the matrix I - [[0, M], [M^T, 0]].
///
/// The unknowns outside that kernel are eliminated: what is factored has as many rows as there are
/// active rows plus r (r + 1) / 2. Note: proofs-notes/nuclear_margin.md.
class NuclearNewton {
 public:
  NuclearNewton(ScaledRows active, const MatrixXd& V, const VectorXd& l);

  /// V Q, the representative at which the equations are linearised.
  const MatrixXd& V() const { return V_; }
  const ScaledRows& rows() const { return rows_; }
  /// Least eigenvalue of I - [[0, M], [M^T, 0]]: 1 - ||M||_2.
  double least_eigenvalue() const { return least_; }
  bool is_finite() const { return finite_; }

  struct Step {
    MatrixXd dV;
    VectorXd dl;
  };
  Step step(const MatrixXd& R, const VectorXd& c) const;

  static MatrixXd residual(const ScaledRows& rows, const MatrixXd& V, const VectorXd& l);
  static VectorXd row_residual(const ScaledRows& rows, const MatrixXd& V);

 private:
  void factor();
  VectorXd solve(const VectorXd& f, const VectorXd& g) const;
  VectorXd packed(const MatrixXd& t) const;

  ScaledRows rows_;
  MatrixXd V_, E_, X_;      // E: kernel basis, X: inverse on its complement
  MatrixXd alpha_, beta_;   // rows B^T a_k and C^T z_k
  MatrixXd H_, K_, G_, T_;  // the reduced matrix, Cholesky factors of H and of its complement
  VectorXd theta_;
  std::optional<LeastNormSolver> solver_;  // of the whole matrix, where H is nearly singular
  double least_ = 0;
  bool finite_ = true;
};

}  // namespace heed::detail
