// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/mha_inputs.hpp"
#include "heed/linalg/point_saddle.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/double_ball.hpp"

namespace heed {
namespace approx::detail {
struct MhaWorkspace;
}

/// Enclosures of Phi, |l'| and grad L at the speed of floating point (tier T1): the kernels of FastMha
/// with a-priori error bounds that are evaluated beside them, for a few percent of their time.
///
/// Guarantee: the exact value, at any real tokens, differences of tokens and weights that differ from
/// the given doubles by at most 2^-52 of their size, or 2^-112 of the largest number beside them (in
/// X_i, in the differences within X_i, in a row of U_h, in W_h), or 2^-1022, lies within the radius of
/// the computed one. Nearest doubles of exact numbers, as mha_inputs<double> gives them, qualify. The
/// bounds hold for every summation order, with and without fused multiply-add, and with subnormal
/// numbers flushed to 0; the rounding mode must be to nearest, else std::runtime_error is thrown.
/// Where the bounds say nothing (logits that are not known to 2^-10, norms above 2^64, numbers that
/// overflow) radii are infinite.
/// Not guaranteed: that radii are small relative to entries in which terms of distinct samples
/// cancel, or that underflow. Typical: 1e-13 to 1e-10 of the largest entry.
///
/// Order of parameters, memory, cost and threads as in FastMha (mha_fast.hpp).
/// Note: proofs-notes/gradient_enclosure.md.
class EnclosedMha {
 public:
  /// Evaluates at the weights of the inputs. Errors as for FastMha.
  explicit EnclosedMha(const MhaInputs<double>& inputs, const std::string& instruction_set = "");
  ~EnclosedMha();
  EnclosedMha(EnclosedMha&&) noexcept;
  EnclosedMha& operator=(EnclosedMha&&) noexcept;

  std::size_t parameters() const;
  const std::vector<double>& initial_parameters() const;

  /// Moves to theta (length P, else std::invalid_argument).
  void evaluate(std::span<const double> theta);

  std::span<const double> gradient() const;     ///< midpoints of grad L, length P
  double gradient_radius(std::size_t k) const;  ///< radius of entry k
  std::span<const double> U_radius() const;     ///< H x T: radius of row t of grad_{U_h} L
  std::span<const double> W_radius() const;     ///< H x d: radius of row b of grad_{W_h} L
  std::span<const double> phi() const;          ///< midpoints of Phi(X_i), length n
  std::span<const double> phi_radius() const;   ///< n
  /// G = (1/n) sum_i |l'_i|.
  DoubleBall mean_slope() const;
  Ball phi_ball(std::size_t i) const;
  Ball gradient_ball(std::size_t k) const;
  /// hess L at the last theta: its midpoints by structure, in the order of parameters of each head, and
  /// with them every matrix that the exact Hessian can be. See fast_lambda_min.
  /// Cost: per head n T (T d^2 + d^4/4) + n T d^3 multiplications; memory 2 H d^4 + H T d^3 doubles.
  /// Note: proofs-notes/hessian_enclosure.md.
  PointSaddle hessian() const;
  /// L, from the enclosures of Phi in ball arithmetic at the working precision.
  Ball loss() const;

 private:
  std::unique_ptr<approx::detail::MhaWorkspace> work_;
};

}  // namespace heed
