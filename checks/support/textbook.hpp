// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::checks {

/// The model in its textbook forms, written independently of the library: uncentred logits and
/// softmax, Gam = A o (V - m), C_t = E[x x^T] - o o^T, derivatives by dA and dGam, p = 1/(1 + e^t).
///
/// These forms cancel, so they are evaluated at a precision that grows with the logits; every value
/// encloses the exact one at whatever precision.
class Textbook {
 public:
  /// True if the logits are small enough (|z| <= 3000) for the textbook forms to be of use.
  static bool feasible(const MhaInstance& instance);
  /// Precision at which the cancellations of the textbook forms are harmless.
  static int bits_for(const MhaInstance& instance);

  /// Evaluates at the working precision.
  explicit Textbook(const MhaInstance& instance);

  std::size_t samples() const { return X.size(); }
  std::size_t heads() const { return U.size(); }
  std::size_t parameters() const { return heads() * (T * d + d * d); }

  /// Row t of the attention of head h on sample i.
  std::vector<Ball> attention(std::size_t i, std::size_t h, std::size_t t) const;
  /// C_t and K_t.
  Matrix<Ball> second_moment(std::size_t i, std::size_t h, std::size_t t) const;
  Matrix<Ball> third_moment(std::size_t i, std::size_t h, std::size_t t) const;
  /// (hess Phi(X_i)) v by the derivatives dA and dGam.
  std::vector<Ball> phi_hessian_vector_product(std::size_t i, const std::vector<Ball>& v) const;
  std::vector<Ball> hessian_vector_product(const std::vector<Ball>& v) const;
  std::vector<Ball> gradient() const;
  /// Column by column from Hessian-vector products, symmetrised by nothing.
  Matrix<Ball> hessian() const;
  /// hess phi_h(X_i), without the factor H^{-1/2}, in the order U_h, W_h.
  Matrix<Ball> head_hessian(std::size_t i, std::size_t h) const;

  std::size_t T = 0, d = 0;
  Ball sqrt_heads;
  std::vector<Matrix<Ball>> X, U, W;
  std::vector<int> y;
  std::vector<Ball> phi, margins;
  std::vector<Ball> value, slope, second;  ///< l, p = -l', l'' at the margins
  std::vector<std::vector<Ball>> phi_gradients;
  Ball loss, mean_slope;

 private:
  std::vector<std::vector<Matrix<Ball>>> attention_;  // [i][h]: T_i x T_i
};

}  // namespace heed::checks
