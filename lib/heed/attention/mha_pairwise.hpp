// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/attention/mha_inputs.hpp"

namespace heed::approx {

/// Loss, gradient and Hessian-vector products of the model of mha.hpp in double, by matrix products
/// that take all heads of a sample at once. For training, search and candidates.
///
/// With q_t = W_h^T x_t, r = r(i, h, t) a token of (nearly) largest attention in row t, and
/// y_s = x_s - x_r formed from the tokens themselves (MhaInputs::dX):
///
///   a_s   = exp(q_t . y_s) / sum          f_s = u_t . y_s - sum_r a_r (u_t . y_r)
///   Gam_s = a_s f_s                       C_t u_t = sum_s Gam_s y_s,   o_t = sum_s a_s x_s
///
/// These are the pairwise forms sum_r a_r (v_s - v_r) at the cost T^2 d instead of T^3 d. Since
/// a_r >= 1/(2T), |x_s - x_r| and sum_j a_j |x_j - x_r| are at most 4T sum_j a_j |x_s - x_j|, by
/// coordinate: rounding errors are at most that factor larger than in the pairwise forms, in every
/// row. So there is no second path, nor a criterion for leaving the first: saturated rows (1 - a is
/// never formed: Gam_r = -a_r sum_s a_s u_t . y_s), ties, and tokens that coincide or nearly do are
/// all covered. The products remain matrix products because rows with the same r are gathered.
///
/// Accuracy: every entry of the gradient is a sum over samples, tokens, coordinates. Its error is
/// a small multiple of T + d + m, times 2^-53, times the sum of magnitudes of its terms; m, the
/// largest |x|^T |W| |y| or sum |u| |o|, is what enters an exponential. Tests hold it to that, and
/// to 1e-12 of each entry on the fixtures.
/// NOT guaranteed: a bound. Entries in which terms of distinct samples or tokens cancel lose digits
/// accordingly (some 0.05 % of those of hard random instances are off by more than 1e-12; those of
/// approx_gradient.hpp are not), as do attention weights and slopes |l'| below 1e-308. Numbers that
/// overflow give infinities or NaN, never an exception.
///
/// Parameters: over h: U_h row-major, then W_h row-major; P = H (T d + d^2). Ragged samples use the
/// first T_i rows of every U_h.
/// Memory: per sample and head 2 T^2 + 3 T d doubles, taken at construction; later calls take none
/// of their own (Eigen takes packing buffers for products beyond 128 kB).
/// Not thread-safe: one object for each thread.
/// Cost per sample and head: evaluate 10 T^2 d + 4 T d^2 flops and T^2 exponentials,
/// Hessian-vector product 8 T^2 d + 4 T d^2 flops.
class PairwiseMha {
 public:
  /// Evaluates at the weights of the inputs. Throws std::invalid_argument for shapes that disagree.
  explicit PairwiseMha(MhaInputs<double> inputs);
  ~PairwiseMha();
  PairwiseMha(PairwiseMha&&) noexcept;
  PairwiseMha& operator=(PairwiseMha&&) noexcept;

  std::size_t parameters() const;
  /// The weights of the inputs in flat order: a starting point for training.
  std::vector<double> initial_parameters() const;

  /// Moves to theta (length P, else std::invalid_argument) and returns the loss there. All values
  /// below are those at the last theta.
  double evaluate(std::span<const double> theta);
  double loss() const;
  /// (1/n) sum_i |l'(y_i Phi_i)|.
  double mean_slope() const;
  std::span<const double> gradient() const;  ///< grad L, length P
  std::span<const double> phi() const;       ///< Phi(X_i), length n
  std::span<const double> margins() const;   ///< y_i Phi(X_i), length n

  /// (hess L) v into `out`; both of length P, else std::invalid_argument. They may be the same.
  void hessian_vector_product(std::span<const double> v, std::span<double> out);
  std::vector<double> hessian_vector_product(std::span<const double> v);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

}  // namespace heed::approx
