// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/mha_inputs.hpp"

namespace heed::approx {
namespace detail {
struct MhaWorkspace;
}

/// Loss, gradient and Hessian-vector products of the model of mha.hpp in double, as fast as the
/// processor allows: one head a SIMD lane, tokens broadcast, kernels for SSE2, AVX2 with FMA and
/// AVX-512 chosen when the program runs. For training, search and candidates.
///
/// Tokens enter through their differences to the first token of the sample (MhaInputs::dX), logits
/// relative to the largest of their row, values relative to that of the largest logit:
///
///   a_s = exp(z_s - z_r)/sum     f_s = (v_s - v_r) - sum_j a_j (v_j - v_r)     Gam_s = a_s f_s
///   o_t = x_0 + sum_s a_s (x_s - x_0)      C_t u_t = sum_s Gam_s (x_s - x_0)
///
/// Accuracy: saturated rows and tokens that all nearly coincide lose nothing. Errors are relative to
/// max_s |x_s - x_0|: where some tokens nearly coincide but not with the first one, digits are lost
/// by that ratio; PairwiseMha (mha_pairwise.hpp) does not lose them, at 2 to 4 times the time.
/// NOT guaranteed: a bound; see enclose_gradient for one. Numbers that overflow give infinities or NaN,
/// never an exception.
///
/// Results do not depend on the number of threads (parallel.hpp); their last bits do depend on the
/// instruction set. Parameters: over h: U_h row-major, then W_h row-major; P = H (T d + d^2). Ragged
/// samples use the first T_i rows of every U_h.
/// Memory: from the first Hessian-vector product on 2 n H T^2 doubles, and 2 H T^2 more for each of at
/// most 16 chunks of samples.
/// Not thread-safe: one object for each thread.
/// Cost: per sample and head 8 T^2 d + 4 T d^2 flops and T^2 exponentials for evaluate, as many flops
/// for a Hessian-vector product; samples in parallel.
class FastMha {
 public:
  /// Evaluates at the weights of the inputs. Throws std::invalid_argument for shapes that disagree
  /// and for an instruction set ("baseline", "avx2", "avx512") that is unknown; one that the
  /// processor lacks is replaced by the widest that it has.
  explicit FastMha(const MhaInputs<double>& inputs, const std::string& instruction_set = "");
  ~FastMha();
  FastMha(FastMha&&) noexcept;
  FastMha& operator=(FastMha&&) noexcept;

  std::size_t parameters() const;
  /// The weights of the inputs in flat order: a starting point for training.
  const std::vector<double>& initial_parameters() const;
  /// The instruction set in use.
  std::string instruction_set() const;

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
  std::unique_ptr<detail::MhaWorkspace> work_;
};

}  // namespace heed::approx
