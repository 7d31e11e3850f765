// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/linalg/symmetric_operator.hpp"

namespace heed {

/// One diagonal block [[0, M], [M^T, K]] in the order (U, W): M is u x w, K is w x w symmetric.
template <class S>
struct SaddleBlock {
  Matrix<S> M;
  Matrix<S> K;
  std::size_t size() const { return M.rows() + M.cols(); }
};

/// The symmetric matrix blockdiag_h [[0, M_h], [M_h^T, K_h]] + J^T J with J: n x P.
///
/// This is the shape of the Hessian of the multi-head attention loss (one block a head, rows of J the
/// weighted sample gradients); with n = 0 it is a Hessian of Phi. P x P is never formed: the inertia
/// of the matrix minus s I comes from one w x w factorisation a block,
///     S_h = K_h - s I + M_h^T M_h / s,      #neg(block_h - s) = #neg(S_h) + [s > 0] u_h,
/// and one n x n factorisation of Q = I + J (blockdiag - s)^{-1} J^T:
///     #neg = sum_h #neg(block_h - s) + #pos(Q) - n          (Haynsworth).
/// The residuals of those factorisations are carried back to one bound on the whole matrix.
/// Precondition: J has 0 rows or P columns. s = 0 cannot be factored (the error is not finite).
/// Cost of a factorisation: per block 2 w^3/3 + n w^2 / 2 + n^2 w / 2 multiplications, plus n^3 / 2.
/// Note: proofs-notes/hessian_structure.md.
class BlockSaddle final : public SymmetricOperator {
 public:
  BlockSaddle(std::vector<SaddleBlock<Ball>> blocks, Matrix<Ball> J);

  std::size_t size() const override { return size_; }
  std::size_t rank() const { return j_.rows(); }
  std::vector<Ball> apply(const std::vector<Ball>& v) const override;
  Ball norm_bound() const override;
  std::unique_ptr<ShiftedFactorization> factor_shifted(const Ball& s) const override;
  std::vector<double> approx_extreme_vector(Extreme end) const override;
  Ball resolution() const override;

  /// The matrix itself; for small P only.
  Matrix<Ball> dense() const;
  const std::vector<SaddleBlock<Ball>>& blocks() const { return blocks_; }
  /// First index of block h in the order of the vectors.
  std::size_t offset(std::size_t h) const { return offsets_[h]; }

 private:
  class Factorization;

  std::vector<SaddleBlock<Ball>> blocks_;
  Matrix<Ball> j_;
  std::size_t size_ = 0;
  std::vector<std::size_t> offsets_;
  std::vector<Matrix<Ball>> MtM_;  // M_h^T M_h
  std::vector<Matrix<Ball>> JuM_;  // J_{U,h} M_h: n x w
  Matrix<Ball> JuJut_;             // sum_h J_{U,h} J_{U,h}^T: n x n
  Ball j_squared_norm_;            // upper bound of ||J||_2^2
};

}  // namespace heed
