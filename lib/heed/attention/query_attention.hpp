// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/query_inputs.hpp"
#include "heed/attention/query_loss.hpp"

namespace heed {

/// W = K Q^T, K and Q: d x m.
template <class S>
struct QueryFactors {
  Matrix<S> K, Q;
};

/// Where a ReLU head has no derivative for certain: (V o_i)_unit may be 0.
struct OpenUnit {
  std::size_t input, unit;
};

/// Attention with one query an input, evaluated at W:
///
///   a_i = X_i W z_i,  s_i = softmax(a_i),  o_i = X_i^T s_i,  L = (1/n) sum_i l(y_i h(o_i)).
///
/// One source for every scalar. Everything is written in gaps to the largest logit r of an input,
/// m_t = a_r - a_t, and in differences to it, delta_t = gamma_r - gamma_t with gamma = y X grad h(o),
/// e = sum_t s_t delta_t, so that nothing cancels when attention saturates or tokens coincide.
/// Values per token (`attention`, `gaps` ...) lie one input after the other, see
/// QueryInputs::offset.
///
/// Guarantee: for a rigorous scalar every returned value encloses the exact one, and a ReLU head is
/// differentiated only where it is proved differentiable. For `double` nothing is guaranteed;
/// relative errors are a few hundred units in the last place of the largest term, and what underflows
/// (gaps beyond 745) is 0: see scaled_query_gradient for the direction then.
/// Not guaranteed: that a gradient that vanishes is enclosed by exactly 0.
/// Cost: 2 n T d + 2 n d^2 multiplications and n T exponentials an evaluation with its gradient; the
/// same without exponentials a Hessian-vector product. At most twice that where references change. Not thread-safe: shares its inputs' differences.
/// Errors: std::invalid_argument for another shape; std::domain_error for a derivative where
/// `open_unit()` is set.
/// Note: proofs-notes/query_attention.md. Source: the model of arXiv 2308.16898.
template <class S>
class QueryModel {
 public:
  using Inputs = std::shared_ptr<const QueryInputs<S>>;
  /// Fills gaps[t] = a_r - a_t for the tokens t of input i.
  using GapSource = std::function<void(std::size_t i, std::size_t r, S* gaps)>;

  QueryModel(Inputs inputs, QueryLoss loss);
  QueryModel(Inputs inputs, QueryLoss loss, const Matrix<S>& W);
  QueryModel(Inputs inputs, QueryLoss loss, const QueryFactors<S>& factors);

  /// Moves to another point; W: d x d.
  void evaluate(const Matrix<S>& W);
  void evaluate(const QueryFactors<S>& factors);
  /// The same at logits that are known otherwise. Asks for the gaps to the reference of the point
  /// before, and again if another logit is larger.
  void evaluate(const GapSource& gaps);

  const QueryInputs<S>& inputs() const { return *in_; }
  QueryLoss loss_kind() const { return kind_; }
  std::size_t reference(std::size_t i) const { return reference_[i]; }  ///< r
  const std::vector<S>& gaps() const { return gap_; }                   ///< m_t
  const std::vector<S>& attention() const { return s_; }                ///< s_t
  const std::vector<S>& score_gaps() const { return delta_; }           ///< delta_t
  const std::vector<S>& mean_score_gap() const { return e_; }           ///< e = gamma_r - s^T gamma
  const std::vector<S>& margins() const { return u_; }                  ///< u_i = y_i h(o_i)
  const std::vector<QueryLossTerms<S>>& loss_terms() const { return terms_; }
  const Matrix<S>& outputs() const { return o_; }  ///< n x d, o_i; empty for a linear head
  S loss() const;

  /// The first unit of a ReLU head that is not proved to be away from its kink; the loss is enclosed
  /// all the same.
  const std::optional<OpenUnit>& open_unit() const { return open_; }

  /// c_it = (1/n) l'_i s_t (delta_t - e); grad L = sum_it c_it (x_{i,j} - x_it) z_i^T for any j.
  /// sum_t c_it = 0.
  std::vector<S> gradient_coefficients() const;
  /// n x d, row i = sum_t c_it (x_ir - x_it).
  Matrix<S> gradient_rows() const;
  /// grad L = rows^T Z, d x d.
  Matrix<S> gradient() const;

  /// b_t = <(x_r - x_t) z^T, D> for all tokens: how fast the gaps grow along D.
  std::vector<S> direction_gaps(const Matrix<S>& D) const;
  /// The same, evaluated exactly and then converted.
  std::vector<S> direction_gaps(const Matrix<Rational>& D) const;
  /// The same along K + t dK, Q + t dQ at t = 0: D = dK Q^T + K dQ^T.
  std::vector<S> direction_gaps(const QueryFactors<S>& at, const QueryFactors<S>& direction) const;

  /// <grad L, D> from the gaps of D.
  S slope_along(const std::vector<S>& b) const;
  /// <grad L, D> = (1/n) sum_i l'_i sum_{t<u} s_t s_u (adot_t - adot_u)(gamma_t - gamma_u), with exact
  /// differences (scores too, for a linear head): nothing cancels when all pairs agree in sign.
  /// Cost: T_i^2 an input.
  S slope_along_exact(const Matrix<Rational>& D) const;
  /// Coefficients k_it with H[D] = sum_it k_it (x_ir - x_it) z_i^T; those of the references are not
  /// used.
  std::vector<S> hessian_coefficients(const std::vector<S>& b) const;
  /// n x d, row i = sum_t k_it (x_ir - x_it).
  Matrix<S> hessian_rows(const std::vector<S>& b) const;
  /// (hess L)[D] = rows^T Z, d x d.
  Matrix<S> hessian_vector_product(const Matrix<S>& D) const;
  /// <D, (hess L)[D]> from the gaps of D.
  S curvature_along(const std::vector<S>& b) const;

 private:
  struct Motion;  // of one input along a direction
  void settle_logits(const GapSource& gaps, std::size_t i);
  void apply_head(std::size_t i);
  void require_differentiable() const;
  Motion motion(std::size_t i, const S* b) const;
  Matrix<S> combine(const std::vector<S>& coefficients) const;
  S inputs_as_scalar() const { return S(static_cast<int>(in_->inputs())); }

  Inputs in_;
  QueryLoss kind_;
  std::vector<std::size_t> reference_;
  std::vector<S> gap_, s_, delta_, e_, u_;
  std::vector<QueryLossTerms<S>> terms_;
  Matrix<S> o_;
  std::optional<OpenUnit> open_;
};

/// rows^T Z for the factors: (G Q, G^T K) = (rows^T (Z Q), Z^T (rows K)), G never formed.
template <class S>
QueryFactors<S> factor_gradient(const QueryModel<S>& model, const QueryFactors<S>& at);

/// Derivative of factor_gradient along (dK, dQ): (H[D] Q + G dQ, H[D]^T K + G^T dK).
template <class S>
QueryFactors<S> factor_hessian_vector_product(const QueryModel<S>& model, const QueryFactors<S>& at,
                                              const QueryFactors<S>& direction);

extern template class QueryModel<double>;
extern template class QueryModel<DoubleBall>;
extern template class QueryModel<Ball>;

}  // namespace heed
