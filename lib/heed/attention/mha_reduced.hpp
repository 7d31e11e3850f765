// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "heed/attention/mha_inputs.hpp"
#include "heed/numeric/double_ball.hpp"

namespace heed {

/// The numbers of an instance in the coordinates of the span of its tokens.
///
/// With the rows of `basis` orthonormal and spanning the tokens (Q = basis^T, d x r):
///
///     X~ = X Q     U~ = U Q     W~ = Q^T W Q,      Phi(X; U, W) = Phi(X~; U~, W~)
///
/// for all weights. Values, attention, the norm of the gradient, the nonzero eigenvalues of every
/// Hessian and the spectra of all token moments are the same; a Hessian has P - P~ eigenvalues 0 more.
/// Without a reduction (r = d, or a scalar without enclosures) `basis` is empty and `inputs` are those
/// of mha_inputs.
///
/// Guarantee: for Ball and DoubleBall everything encloses the exact values. Differences of equal tokens are exactly 0;
/// equal samples and heads are those of the instance.
/// Note: proofs-notes/token_rank.md.
template <class S>
struct MhaReduced {
  MhaInputs<S> inputs;
  Matrix<S> basis;                        ///< r x d, or empty
  std::vector<Matrix<S>> U_full, W_full;  ///< the weights of the instance, if reduced

  bool reduced() const { return basis.rows() > 0; }
  std::size_t dim() const { return reduced() ? basis.cols() : inputs.dim(); }
  std::size_t parameters() const { return inputs.heads() * (inputs.tokens() + dim()) * dim(); }
  const std::vector<Matrix<S>>& U() const { return reduced() ? U_full : inputs.U; }
  const std::vector<Matrix<S>>& W() const { return reduced() ? W_full : inputs.W; }

  /// "tokens have rank r of d: dimension reduced exactly", or "" without a reduction.
  std::string note() const;

  /// Pi: a direction in the parameters of the instance (length P) to one in the reduced ones.
  std::vector<S> restrict(const std::vector<S>& direction) const;
  /// Pi^T: a gradient in the reduced parameters to the gradient in those of the instance.
  std::vector<S> lift(const std::vector<S>& gradient) const;
};

/// Reduces if the tokens have rank 0 < r < d. Precondition: require_weights.
MhaReduced<Ball> mha_reduced(const MhaInstance& instance);

/// The same in DoubleBall, rounded outwards from balls of 128 bits.
MhaReduced<DoubleBall> mha_reduced_in_double(const MhaInstance& instance);

/// One of the two, or no reduction for a scalar without enclosures.
template <class S>
MhaReduced<S> mha_reduced_for(const MhaInstance& instance) {
  if constexpr (std::is_same_v<S, Ball>) return mha_reduced(instance);
  if constexpr (std::is_same_v<S, DoubleBall>) return mha_reduced_in_double(instance);
  return {mha_inputs<S>(instance), {}, {}, {}};
}

extern template struct MhaReduced<double>;
extern template struct MhaReduced<DoubleBall>;
extern template struct MhaReduced<Ball>;

}  // namespace heed
