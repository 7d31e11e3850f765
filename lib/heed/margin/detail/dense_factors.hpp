// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes Eigen: for sources of this library only.

#include <Eigen/Core>
#include <memory>

namespace heed::detail {

/// Decompositions in double, compiled in one place: each takes the compiler many seconds.

/// Eigenvalues, rising, and orthonormal eigenvectors of a symmetric matrix.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);

/// A = U diag(values) V^T with min(p, q) columns, values falling.
struct ThinSvd {
  Eigen::MatrixXd u, v;
  Eigen::VectorXd values;
};
ThinSvd thin_svd(const Eigen::MatrixXd& a);

/// The orthogonal U V^T of a square A = U diag V^T.
Eigen::MatrixXd polar_factor(const Eigen::MatrixXd& a);

/// Orthonormal basis of the span of the columns, the identity if that is everything; one column at
/// least.
Eigen::MatrixXd column_span(const Eigen::MatrixXd& columns);

/// Solves with a square matrix by LU, or if that is nearly singular in the sense of least norm.
class LeastNormSolver {
 public:
  explicit LeastNormSolver(const Eigen::MatrixXd& a);
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

/// min |d_k| / max |d_k| over the diagonal.
double pivot_ratio(const Eigen::MatrixXd& factor);

}  // namespace heed::detail
