// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/linalg/extreme_eigenvalue.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/linalg/symmetric_operator.hpp"

namespace heed {

/// Dense symmetric matrix of balls. Precondition: square; the lower triangle is read, the operator
/// stands for all real symmetric matrices whose lower triangle lies in it.
/// Cost of a factorisation with its error bound: about 2 n^3/3 multiplications.
class DenseSymmetric final : public SymmetricOperator {
 public:
  explicit DenseSymmetric(Matrix<Ball> a);

  std::size_t size() const override { return a_.rows(); }
  std::vector<Ball> apply(const std::vector<Ball>& v) const override;
  Ball norm_bound() const override;
  std::unique_ptr<ShiftedFactorization> factor_shifted(const Ball& s) const override;
  std::vector<double> approx_extreme_vector(Extreme end) const override;
  Ball resolution() const override;

 private:
  Matrix<Ball> a_;
};

/// Upper bound of ||E||_2 for a symmetric matrix of balls: the largest row sum of |e_ij|.
Ball symmetric_norm_bound(const Matrix<Ball>& e);

/// Least and largest eigenvalue of a dense symmetric matrix of balls; see enclose_extreme_eigenvalue.
Ball enclose_lambda_min(const Matrix<Ball>& a, int digits);
Ball enclose_lambda_max(const Matrix<Ball>& a, int digits);
/// ||A||_2 = max |eigenvalue|.
Ball enclose_spectral_norm(const Matrix<Ball>& a, int digits);

}  // namespace heed
