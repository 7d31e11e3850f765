// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/linalg/detail/rounding_bounds.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"

namespace heed::detail {

/// The matrix A = [[0, M], [M^T, K]] of tokens and symmetric d x d moments,
///
///     M = (x_t (x) C_t)_t : T d x d^2      K = sum_t x_t x_t^T (x) K_t : d^2 x d^2,
///
/// of doubles, without forming it: M^T M = sum_t x_t x_t^T (x) C_t^2 has the shape of K, so that
/// A <= mu I is the positive definiteness of mu I - sum_t x_t x_t^T (x) (C_t^2/mu + K_t).
/// Note: proofs-notes/head_norms.md, "The norm from moments".
class MomentSaddle {
 public:
  /// x: T x d; C, K: T x d x d, each symmetric to the last bit.
  MomentSaddle(std::size_t T, std::size_t d, std::vector<double> x, std::vector<double> C,
               std::vector<double> K);

  /// Encloses ||A||, mostly to 1e-10 relative; nothing where the search or the range of double fails.
  /// Cost: about 10 T d^2 multiplications for each of some 40 products; two factorisations of order d^2.
  std::optional<DoubleRange> norm() const;

  struct Room {
    std::vector<double> s, products;
  };
  /// An upper bound of the largest eigenvalue of sign A (sign = +-1), just above mu; infinite if mu is not
  /// proved to be one. `room` is scratch.
  double upper_bound(double mu, double sign, Room& room) const;

 private:
  void approx_apply(const double* v, double* out) const;
  /// Lower bound of |v^T A v| / v^T v.
  double rayleigh_quotient(const std::vector<double>& v) const;

  std::size_t T_, d_;
  std::vector<double> x_, C_, K_;
  std::vector<Upper> x_norms_, C_norms_, K_norms_;
  std::vector<double> squares_;  ///< T x d x d: C_t^2
  std::vector<double> pairs_;    ///< x_b x_e, e <= b: column-major, T x d(d + 1)/2
  bool in_range_ = true;
};

}  // namespace heed::detail
