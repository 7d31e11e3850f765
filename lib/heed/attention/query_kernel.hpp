// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/attention/query_attention.hpp"

namespace heed {

/// Query attention along W = W_0 + sum_k beta_k A_k, without any d x d matrix.
///
/// A_k = (x_{i,j} - x_it) z_i^T for every input i and every token t != j_i, the selected token, in the
/// order of i, then t: M = sum_i (T_i - 1) of them. Every gradient of the loss lies in their span,
///
///     grad L = sum_k c_k A_k,   c_it = (1/n) l'_i s_t (delta_t - e),
///
/// so gradient descent stays in this form (beta -= eta c), and the model needs only the gaps
/// m_k = <A_k, W> = <A_k, W_0> + (G beta)_k with the Gram matrix G_kl = <A_k, A_l>.
///
/// Guarantee and errors as for QueryModel; for a rigorous scalar the gaps enclose those of every W
/// whose coefficients lie in beta. Not guaranteed: gaps as narrow as from W itself where G beta
/// cancels.
/// Cost: 2 M^2 multiplications a step, independent of d; once M^2 d / 2 for G.
/// Note: proofs-notes/query_attention.md.
template <class S>
class QueryKernel {
 public:
  /// selected: one token for each input. W_0: d x d. Starts at beta = 0.
  QueryKernel(typename QueryModel<S>::Inputs inputs, QueryLoss loss,
              const std::vector<std::size_t>& selected, const Matrix<S>& W0);

  std::size_t rows() const { return row_input_.size(); }  ///< M
  std::size_t row_input(std::size_t k) const { return row_input_[k]; }
  std::size_t row_token(std::size_t k) const { return row_token_[k]; }
  const Matrix<S>& gram() const { return gram_; }              ///< G: M x M
  const std::vector<S>& start_gaps() const { return start_; }  ///< <A_k, W_0>
  const std::vector<S>& gaps() const { return gaps_; }         ///< m_k = <A_k, W>
  const QueryModel<S>& model() const { return model_; }        ///< at the point reached

  /// Moves to beta: M.
  void evaluate(const std::vector<S>& beta);
  /// Moves to a point of known gaps: m + eta G c after a step along c, say.
  void evaluate_at_gaps(std::vector<S> gaps);

  /// c: M, grad L = sum_k c_k A_k.
  std::vector<S> gradient_coefficients() const;
  /// G c: how the gaps move along sum_k c_k A_k. c: M.
  std::vector<S> gram_times(const std::vector<S>& c) const;
  /// ||sum_k c_k A_k||_F^2 = c^T G c; for c of the gradient its squared norm.
  S squared_norm_of(const std::vector<S>& c) const;
  /// <D, (hess L)[D]> for D = sum_k c_k A_k.
  S curvature_along(const std::vector<S>& c) const;
  /// sum_k c_k A_k: d x d.
  Matrix<S> combine(const std::vector<S>& c) const;

 private:
  // The same values token by token, 0 at the selected ones.
  std::vector<S> by_token(const std::vector<S>& rows) const;

  typename QueryModel<S>::Inputs in_;
  std::vector<std::size_t> selected_, row_input_, row_token_;
  Matrix<S> gram_;
  std::vector<S> start_, gaps_;
  QueryModel<S> model_;
};

extern template class QueryKernel<double>;
extern template class QueryKernel<DoubleBall>;
extern template class QueryKernel<Ball>;

}  // namespace heed
