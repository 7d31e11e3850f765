// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/kernel_blocks.hpp"
#include "heed/data/kernel_instance.hpp"
#include "heed/theory/query_facts.hpp"

namespace heed {

/// Largest number of residuals for which rational attention is looked for.
inline constexpr std::size_t max_rational_residuals = 128;

/// Everything about an instance of kernel attention that the claims need and that is decidable over
/// the rationals. Computed once, used in every scalar and precision.
///
/// J_b is the Jacobian of all outputs (M_r = N m p rows) by the blocks b; ranks are exact or exact
/// bounds, never counts of eigenvalues above a threshold.
/// Cost: ranks of the stacked tokens, of the tokens of each sample and of each W_O.
/// Note: proofs-notes/kernel_rank.md.
class KernelFacts {
 public:
  KernelFacts(const KernelInstance& instance, AttentionKernel kernel);

  const KernelInstance& instance() const { return instance_; }
  AttentionKernel kernel() const { return kernel_; }

  Condition token_readout;     ///< U = I
  Condition common_W_O;        ///< H = 1 or all W_O^h are equal
  Condition normalised;        ///< rows of S sum to 1
  Condition zero_qk;           ///< W_Q = W_K = 0
  Condition tied_qk;           ///< W_Q = W_K, projected tokens of a sample pairwise different
  Condition affine_tokens;     ///< X_i w = 1 for all i for one w
  Condition readout_sees_one;  ///< U 1 /= 0
  /// Some z /= 0 and some sample i: X_i W_V^h W_O^h z is a multiple of 1 for every head.
  Condition obstruction;

  bool zero_queries() const { return zero_q_; }                      ///< W_Q = 0
  bool zero_keys() const { return zero_k_; }                         ///< W_K = 0
  const Matrix<Rational>& stacked_tokens() const { return stack_; }  ///< N n x D
  std::size_t rank_of_tokens() const { return rank_stack_; }
  std::size_t rank_W_O(std::size_t h) const { return rank_O_[h]; }
  /// Upper bound of rank B_h for every attention.
  std::size_t features_bound() const { return features_bound_; }
  /// sum_h rank(W_O^h) features_bound, >= rank J_V.
  std::size_t cover_bound() const;
  /// (D - 1) sum_h rank W_O^h + rank [W_O^1T .. W_O^HT], >= rank J_V under affine_tokens.
  std::size_t affine_bound() const;
  const std::vector<Rational>& affine_w() const { return w_; }  ///< the w of affine_tokens
  /// Upper bound of rank J_b; where the attention is rational, the rank itself for W_V and W_O.
  std::size_t rank_bound(KernelBlocks blocks) const;
  /// S_ih at [i H + h] where every entry is rational: all scores of every row agree, and are 0 if rows
  /// do not sum to 1; for max_rational_residuals at most.
  const std::optional<std::vector<Matrix<Rational>>>& attention() const { return attention_; }
  /// J_V, where the attention is rational.
  const std::optional<Matrix<Rational>>& value_jacobian() const { return value_jacobian_; }
  /// Its linearly independent columns, as many as its rank.
  const std::vector<std::size_t>& value_columns() const { return value_columns_; }
  /// Sample and z of `obstruction`.
  std::size_t obstructed_sample() const { return obstructed_; }
  const std::vector<Rational>& obstruction_z() const { return z_; }

 private:
  void judge_tokens();
  void judge_weights();
  void judge_obstruction();
  void find_attention();
  std::size_t block_bound(KernelBlock block) const;
  std::size_t query_bound() const;

  KernelInstance instance_;
  AttentionKernel kernel_;
  Matrix<Rational> stack_;
  std::size_t rank_stack_ = 0, features_bound_ = 0, distinct_rows_ = 0, obstructed_ = 0,
              output_rank_ = 0, value_output_rank_ = 0, rank_O_row_ = 0;
  std::vector<std::size_t> rank_O_;
  std::vector<std::size_t> value_columns_;
  std::vector<Rational> w_, z_;
  bool zero_q_ = false, zero_k_ = false, zero_v_ = false, zero_o_ = false;
  std::optional<std::vector<Matrix<Rational>>> attention_;
  std::optional<Matrix<Rational>> value_jacobian_;
};

}  // namespace heed
