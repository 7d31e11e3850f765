// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// How scores become attention. With the queries q_a and keys k_b of one sample and head:
///
///     softmax              S_ab = exp(beta q_a.k_b) / sum_l exp(beta q_a.k_l)
///     gaussian             S_ab = exp(-beta/2 |q_a - k_b|^2)
///     gaussian_over_n      the same divided by the number n of tokens
///     gaussian_normalised  the same divided by its row sum
enum class AttentionKernel { softmax, gaussian, gaussian_over_n, gaussian_normalised };
inline constexpr AttentionKernel attention_kernels[] = {
    AttentionKernel::softmax, AttentionKernel::gaussian, AttentionKernel::gaussian_over_n,
    AttentionKernel::gaussian_normalised};

/// The word of an instance file: `softmax`, `gaussian`, `gaussian/n` or `gaussian-normalised`.
std::string_view kernel_word(AttentionKernel kernel);
std::optional<AttentionKernel> parse_kernel(std::string_view word);

/// True if the rows of S sum to 1: softmax and gaussian_normalised.
bool is_normalised(AttentionKernel kernel);
/// True if the scores are distances |q_a - k_b|^2, not products.
bool has_distances(AttentionKernel kernel);

/// beta > 0, a rational number or the square root of one (1/sqrt(d)).
struct KernelBeta {
  Rational value{1};
  bool root = false;  ///< beta = sqrt(value), value = 1/d, d not a square

  friend bool operator==(const KernelBeta&, const KernelBeta&) = default;
};

/// The parameters, one matrix a head: W_Q, W_K: D x d, W_V: D x d_v, W_O: d_v x p.
template <class S>
struct KernelWeights {
  std::vector<Matrix<S>> W_Q, W_K, W_V, W_O;

  friend bool operator==(const KernelWeights& a, const KernelWeights& b) requires
      requires(const S& x) {
    x == x;
  }
  { return a.W_Q == b.W_Q && a.W_K == b.W_K && a.W_V == b.W_V && a.W_O == b.W_O; }
};

/// Exact instance of a layer with square loss (instance file model `kernel`):
///
///     F_i = U sum_h S_ih X_i W_V^h W_O^h,   f = 1/2 sum_i |F_i - Y_i|_F^2
///
/// X[i]: n x D, Y[i]: m x p, readout U: m x n. Every number is the exact value that the file states.
struct KernelInstance {
  std::string name, origin;
  std::vector<Matrix<Rational>> X, Y;
  Matrix<Rational> readout;
  KernelBeta beta;
  std::optional<AttentionKernel> kernel;  ///< absent: report softmax and gaussian
  KernelWeights<Rational> weights;
  /// What the reader or the generator wants to say, such as ignored keys. Never written to a file.
  std::vector<std::string> notes;

  std::size_t samples() const { return X.size(); }                             ///< N
  std::size_t tokens() const { return readout.cols(); }                        ///< n
  std::size_t rows() const { return readout.rows(); }                          ///< m
  std::size_t dim() const { return X.front().cols(); }                         ///< D
  std::size_t heads() const { return weights.W_Q.size(); }                     ///< H
  std::size_t key_dim() const { return weights.W_Q.front().cols(); }           ///< d
  std::size_t value_dim() const { return weights.W_V.front().cols(); }         ///< d_v
  std::size_t output_dim() const { return weights.W_O.front().cols(); }        ///< p
  std::size_t residuals() const { return samples() * rows() * output_dim(); }  ///< M_r = N m p
};

/// U = I_n and U = 1^T / n.
Matrix<Rational> token_readout(std::size_t n);
Matrix<Rational> pooled_readout(std::size_t n);

/// 1/sqrt(d), as a rational number where it is one.
KernelBeta inverse_root_beta(std::size_t d);

/// The words of an instance file for beta (exact text, or `1/sqrt(d)`) and for the read-out: `token`,
/// `pooled`, or empty if it is neither.
std::string beta_text(const KernelInstance& instance);
std::string readout_word(const KernelInstance& instance);

/// The kernels that are reported for an instance: its own, or softmax and gaussian.
std::vector<AttentionKernel> reported_kernels(const KernelInstance& instance);

/// True if all numbers agree exactly; name, origin and notes are not compared.
bool same_numbers(const KernelInstance& a, const KernelInstance& b);

}  // namespace heed
