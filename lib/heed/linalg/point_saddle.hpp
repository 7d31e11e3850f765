// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/matrix.hpp"

namespace heed {

/// Two doubles with lower <= exact value <= upper; infinite where nothing is known.
struct DoubleRange {
  double lower, upper;
};

/// The matrix A = blockdiag_h [[0, M_h], [M_h^T, K_h]] + J^T J (J: n x P) with double entries, and with
/// it every matrix of the same form (same shapes, zero block, n rows of J) whose distance from A in
/// the spectral norm is at most `perturbation`.
///
/// All is kept scaled: the stored matrix is 2^-exponent() A, whose largest entry is about 1, so that
/// neither overflow nor underflow spoils anything; what rounding of tiny entries the scaling costs is
/// added to the perturbation. Every number below is in scaled units.
/// Preconditions: J has 0 rows or P columns; of K_h the lower triangle is read; perturbation >= 0.
/// Note: proofs-notes/fast_eigenvalue.md.
class PointSaddle {
 public:
  PointSaddle(std::vector<SaddleBlock<double>> blocks, Matrix<double> J, double perturbation = 0);

  std::size_t size() const { return size_; }
  std::size_t rank() const { return j_.rows(); }
  /// Dimension of the zero block, sum_h u_h.
  std::size_t zero_block_size() const { return zero_block_size_; }
  int exponent() const { return exponent_; }
  /// False if an entry or the perturbation is infinite or NaN: then nothing can be said.
  bool is_finite() const { return finite_; }
  /// True if every entry is 0.
  bool is_zero() const { return zero_; }
  double perturbation() const { return perturbation_; }

  const std::vector<SaddleBlock<double>>& blocks() const { return blocks_; }
  const Matrix<double>& J() const { return j_; }
  std::size_t offset(std::size_t h) const { return offsets_[h]; }

  /// y = A x in double, without a bound. Cost: 2 P w + 2 n P multiplications.
  void approx_apply(const double* x, double* y) const;

  /// Encloses the Rayleigh quotients v^T A' v / v^T v of all A'. Any v; infinite if v = 0 or not finite.
  DoubleRange rayleigh_quotient(const std::vector<double>& v) const;

  /// Upper bound of |lambda| for all eigenvalues of all blocks.
  double block_norm_bound() const { return block_norm_; }
  /// Upper bound of ||A||_2.
  double norm_bound() const;
  /// Frobenius norms, rounded up: ||M_h||, ||K_h||, and ||J||.
  double m_norm(std::size_t h) const { return m_norm_[h]; }
  double k_norm(std::size_t h) const { return k_norm_[h]; }
  double j_norm() const { return j_norm_; }

 private:
  void scale();
  void products(const double* x, double* y, double* jx) const;

  std::vector<SaddleBlock<double>> blocks_;
  Matrix<double> j_;
  double perturbation_;
  std::size_t size_ = 0, zero_block_size_ = 0;
  std::vector<std::size_t> offsets_;
  int exponent_ = 0;
  bool finite_ = true, zero_ = true;
  std::vector<double> m_norm_, k_norm_;
  double j_norm_ = 0, block_norm_ = 0;
};

}  // namespace heed
