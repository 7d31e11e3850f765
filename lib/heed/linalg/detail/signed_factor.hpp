// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/linalg/detail/rounding_bounds.hpp"

namespace heed::detail {

/// S = L Sigma L^T + E for a symmetric point matrix S, with L nonsingular, Sigma = diag(+-1) and a
/// bound of ||E||_2: the inertia of S - E is that of Sigma, exactly.
///
/// First without pivoting, by blocks ("signed Cholesky": L lower triangular, Sigma = I for definite S),
/// with an a-priori bound of E from |L||L|^T. If a pivot vanishes or L grows, again by Ldlt (Bunch
/// and Parlett), L being a permuted block triangle, with E evaluated and bounded.
/// Note: proofs-notes/fast_eigenvalue.md.
class SignedFactor {
 public:
  /// s: column-major, n x n; the lower triangle is read.
  SignedFactor(std::vector<double> s, std::size_t n);

  std::size_t size() const { return n_; }
  std::size_t negative() const { return negative_; }
  /// Upper bound of ||E||_2; not finite if there is no factorisation, and then nothing else is known.
  Upper error() const { return error_; }
  const std::vector<double>& signs() const { return signs_; }
  bool is_pivoted() const { return !order_.empty(); }

  /// b := Y with L Y = b + R; returns an upper bound of ||R||_F. Precondition: error() is finite.
  Upper solve(View b) const;

 private:
  bool factor_plain(std::vector<double> s);
  void factor_pivoted(const std::vector<double>& s);
  ConstView lower() const { return {lower_.data(), n_, n_, n_}; }
  void substitute_pivoted(double* b) const;

  std::size_t n_ = 0, negative_ = 0;
  std::vector<double> lower_;
  std::vector<double> signs_;
  Upper lower_norm_, error_;
  // Pivoted form only: row order_[i] of L is row i of a block triangle.
  std::vector<std::size_t> order_;
  std::vector<bool> starts_pair_;
};

}  // namespace heed::detail
