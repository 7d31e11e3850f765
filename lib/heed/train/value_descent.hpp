// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/attention/kernel_attention.hpp"

namespace heed::approx {

/// Gradient descent on W_V alone with step 1/L, L the largest eigenvalue of J J^T: the residuals obey
/// r_{t+1} = (I - J J^T / L) r_t, so with eigenvalues e_k, eigenvectors u_k and c_k = <u_k, r_0>^2
///
///     f_t = 1/2 sum_k c_k (1 - e_k / L)^(2t)
///
/// without a step being made, since J does not depend on W_V. In double, without bounds.
class ValueDescent {
 public:
  explicit ValueDescent(const KernelModel<double>& model);

  double least() const { return eigenvalues_.front(); }   ///< mu = lambda_min(J J^T)
  double largest() const { return eigenvalues_.back(); }  ///< L
  double loss(double steps) const;
  /// The first step with f_t <= share f_0; at most 2^60.
  double steps_to(double share) const;

 private:
  std::vector<double> eigenvalues_, weights_;
};

}  // namespace heed::approx
