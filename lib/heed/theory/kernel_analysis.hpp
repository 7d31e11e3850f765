// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/kernel_attention.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/theory/kernel_facts.hpp"

namespace heed {

/// Largest number of residuals M_r for which Gram matrices J J^T are analysed.
inline constexpr std::size_t max_kernel_residuals = 256;
/// Precision in bits up to which a least eigenvalue that contains 0 is tried again.
inline constexpr int kernel_rank_bits = 256;

/// What the claims of kernel attention share at the weights of an instance, in one scalar (DoubleBall
/// or Ball): the model, Gram matrices and the ends of their spectra.
///
/// A least eigenvalue that is 0 for a reason known exactly (KernelFacts::rank_bound) is exactly 0.
/// Guarantee: every value encloses the exact one. Everything is computed on first use and kept.
/// Cost: each Gram matrix M_r^2 P operations, its ends an eigenvalue problem of order M_r.
/// Not thread-safe. Note: proofs-notes/kernel_pl.md.
template <class S>
class KernelAnalysis {
 public:
  explicit KernelAnalysis(std::shared_ptr<const KernelFacts> facts);

  const KernelFacts& facts() const { return *facts_; }
  const KernelInstance& instance() const { return facts_->instance(); }
  AttentionKernel kernel() const { return facts_->kernel(); }
  const KernelModel<S>& model() const { return *model_; }
  /// The model with other weights, or with another kernel.
  KernelModel<S> model_at(KernelWeights<S> weights) const;
  KernelModel<S> model_of(AttentionKernel kernel) const;

  const S& beta() const { return model_->inputs().beta; }
  const S& loss() const { return loss_; }
  const std::vector<S>& residual() const { return residual_; }  ///< r, M_r numbers; f = |r|^2 / 2
  const KernelWeights<S>& gradient() const { return gradient_; }
  S gradient_squared(KernelBlocks blocks) const;

  /// The residuals are few enough for what follows.
  Condition small() const;
  const Matrix<S>& jacobian(KernelBlock block) const;
  /// J J^T of some blocks.
  Matrix<S> gram(KernelBlocks blocks) const;
  /// mu and L of one block, or of all.
  const Extremes<S>& spectrum(KernelBlocks blocks) const;
  S mu(KernelBlocks blocks) const { return spectrum(blocks).least; }
  S L(KernelBlocks blocks) const { return spectrum(blocks).largest; }
  /// mu > 0: disproved where it is 0 for an exact reason, else open unless the enclosure shows it.
  Condition mu_positive(KernelBlocks blocks) const;
  Condition loss_positive() const;

  const Matrix<S>& features(std::size_t h) const;  ///< B_h
  Matrix<S> joined_features() const;               ///< [B_1 .. B_H]
  const Extremes<S>& tokens() const;  ///< of X_stack X_stack^T; least exactly 0 if D < N n
  S spectral_squared(const Matrix<S>& m) const;  ///< |m|_2^2
  /// The square of the rows-th singular value of m, 0 if it has fewer columns than rows.
  S least_squared(const Matrix<S>& m) const;
  /// sigma_p(W_O^h)^2.
  S least_squared_W_O(std::size_t h) const;

 private:
  std::shared_ptr<const KernelFacts> facts_;
  std::shared_ptr<const KernelInputs<S>> inputs_;
  std::optional<KernelModel<S>> model_;
  S loss_;
  std::vector<S> residual_;
  KernelWeights<S> gradient_;
  mutable std::array<std::optional<Matrix<S>>, 4> jacobian_;
  mutable std::array<std::optional<Extremes<S>>, 16> spectrum_;
  mutable std::vector<std::optional<Matrix<S>>> features_;
  mutable std::optional<Extremes<S>> tokens_;
};

/// A^T.
template <class S>
Matrix<S> transposed(const Matrix<S>& a) {
  Matrix<S> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

/// A A^T, exactly symmetric.
template <class S>
Matrix<S> gram_of_rows(const Matrix<S>& a);

/// A number of things in the scalar.
template <class S>
S count(std::size_t n) {
  return S(static_cast<int>(n));
}

extern template class KernelAnalysis<DoubleBall>;
extern template class KernelAnalysis<Ball>;

}  // namespace heed
