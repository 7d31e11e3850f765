// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/attention/mha_inputs.hpp"
#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/matrix.hpp"

namespace heed {

/// One head on one sample; row t belongs to the query token x_t.
template <class S>
struct HeadState {
  Matrix<S> A;    ///< T_i x T_i attention, rows a_t = softmax(X W^T x_t)
  Matrix<S> O;    ///< T_i x d, o_t = sum_s a_ts x_s
  Matrix<S> Gam;  ///< T_i x T_i, Gam_ts = a_ts (v_ts - m_t) with v_ts = u_t . x_s, m_t = a_t . v_t
  Matrix<S> CU;   ///< T_i x d, row t = C_t u_t
  std::vector<Matrix<S>> xc;  ///< per t: T_i x d centred tokens x_s - o_t
  S phi;                      ///< sum_t u_t . o_t
};

/// Second and third moments of the tokens under each attention row.
template <class S>
struct HeadMoments {
  std::vector<Matrix<S>> C;  ///< per t: d x d, C_t = sum_s a_ts xc_s xc_s^T
  std::vector<Matrix<S>> K;  ///< per t: d x d, K_t = sum_s a_ts (u_t . xc_s) xc_s xc_s^T
};

/// How a model holds the states of its heads.
enum class StateForm {
  kept,  ///< all of them, centred pair by pair: T^3 d multiplications a head, n H T^2 d numbers
  lean   ///< none; centred from the token of the largest weight in each row: T^2 d multiplications
};

/// l, |l'|, l'' and |l'''| at the margin of one sample.
template <class S>
struct LossTerms {
  S value, slope, second, third;  ///< slope = p = -l' >= 0; third = |l'''|
};

/// Multi-head attention with a scalar read-out, evaluated at its weights:
///
///   Phi(X) = H^{-1/2} sum_h <U_h, A_h X>,  A_h = row-softmax(X W_h X^T),
///   L      = (1/n) sum_i l(y_i Phi(X_i)),  l logistic or exponential.
///
/// One source for every scalar, in the centred (pairwise) forms that lose no digits when the softmax
/// saturates or tokens nearly coincide: xc_s = sum_r a_r (x_s - x_r).
/// Vectors of parameters run over h: U_h row-major, then W_h row-major; P = H (T d + d^2).
///
/// Guarantee: for a rigorous scalar every returned value encloses the exact one. For `double` nothing
/// is guaranteed; relative errors are a few hundred units in the last place.
/// Not thread-safe: moments are computed on first use.
/// Cost per sample and head: T^3 d multiplications and T^2 exponentials; moments T^2 d^2. Lean: T^2 d;
/// states are then made anew where they are asked for. Where tokens nearly coincide, but not with the one
/// of the largest weight, lean enclosures are wider.
/// Note: proofs-notes/mha_model.md. Source: the model of Deora et al., arXiv 2310.12680.
template <class S>
class MhaModel {
 public:
  explicit MhaModel(MhaInputs<S> inputs, StateForm form = StateForm::kept);

  const MhaInputs<S>& inputs() const { return in_; }
  StateForm form() const { return form_; }
  /// Precondition: the states are kept. So for moments, head_hessian, loss blocks and the dense Hessian.
  const HeadState<S>& head(std::size_t i, std::size_t h) const { return heads_[slot(i, h)]; }
  /// In either form: the kept state, or one made in `room`.
  const HeadState<S>& head(std::size_t i, std::size_t h, HeadState<S>& room) const;
  const HeadMoments<S>& moments(std::size_t i, std::size_t h) const;

  const std::vector<S>& phi() const { return phi_; }          ///< Phi(X_i)
  const std::vector<S>& margins() const { return margins_; }  ///< y_i Phi(X_i)
  const std::vector<LossTerms<S>>& loss_terms() const { return terms_; }
  S loss() const;        ///< L
  S mean_slope() const;  ///< G = (1/n) sum_i p_i

  /// n x P, row i = grad Phi(X_i).
  const Matrix<S>& phi_gradients() const { return gradients_; }
  /// grad L, length P.
  std::vector<S> gradient() const;
  /// (hess L) v, length P, without any Hessian.
  std::vector<S> hessian_vector_product(const std::vector<S>& v) const;
  /// (hess Phi(X_i)) v.
  std::vector<S> phi_hessian_vector_product(std::size_t i, const std::vector<S>& v) const;

  /// hess phi_h(X_i), without the factor H^{-1/2}; (T d + d^2) square as a saddle block.
  SaddleBlock<S> head_hessian(std::size_t i, std::size_t h) const;
  /// Diagonal block h of (1/n) sum_i l'_i y_i hess Phi(X_i); with J below this is all of hess L.
  SaddleBlock<S> loss_block(std::size_t h) const;
  std::vector<SaddleBlock<S>> loss_blocks() const;
  /// n x P, row i = sqrt(l''_i / n) grad Phi(X_i): hess L = blockdiag_h(loss_block) + J^T J. The l''
  /// of equal samples are added up in the first one; the rows of the others are 0.
  Matrix<S> weighted_gradients() const;
  /// P x P; for small P.
  Matrix<S> dense_hessian() const;
  /// K_ij = <grad Phi(X_i), grad Phi(X_j)>, n x n.
  Matrix<S> ntk_kernel() const;

 private:
  std::size_t H() const { return in_.heads(); }
  // Equal samples and equal heads share their state.
  std::size_t slot(std::size_t i, std::size_t h) const {
    return in_.first_equal[i] * H() + in_.first_equal_head[h];
  }
  std::vector<S> signed_slopes() const;
  SaddleBlock<S> combine(std::size_t h, const std::vector<std::size_t>& samples,
                         const std::vector<S>& coefficients) const;

  MhaInputs<S> in_;
  StateForm form_;
  S sqrt_heads_;
  std::vector<HeadState<S>> heads_;
  mutable std::vector<std::optional<HeadMoments<S>>> moments_;
  std::vector<S> phi_, margins_;
  std::vector<LossTerms<S>> terms_;
  Matrix<S> gradients_;
};

/// The loss terms of one margin t.
template <class S>
LossTerms<S> loss_terms_at(Loss loss, const S& margin);

extern template class MhaModel<double>;
extern template class MhaModel<DoubleBall>;
extern template class MhaModel<Ball>;

}  // namespace heed
