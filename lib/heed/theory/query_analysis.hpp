// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/query_attention.hpp"
#include "heed/theory/query_facts.hpp"

namespace heed {

/// A point W of an instance and what is exact about it.
struct QueryPointFacts {
  QueryPoint point;
  Rational norm2;                             ///< ||W||_F^2
  std::vector<std::vector<Rational>> logits;  ///< X_i W z_i
  Rational mu;                 ///< min_k <A_k, W> for the selected tokens; 0 without inequalities
  Rational alignment;          ///< <W, W_mm(selected)>; 0 unless feasible
  Condition meets_equalities;  ///< <E_j, W> = 0: further selected tokens are tied with the first

  QueryPointFacts(const QueryFacts& facts, const QueryPoint& point);
};

/// What the claims say about one input of T_i >= 2 tokens at a point W, for a linear head; opt is its
/// (first) optimal token. The loss enters by its derivatives on the range of scores.
template <class S>
struct QueryTerms {
  S best_attention;  ///< s_opt
  S rest;            ///< q = 1 - s_opt, without cancellation
  S drop;            ///< gamma_opt - gbar = sum_t s_t (gamma_opt - gamma_t)
  S excess;          ///< e = l(gbar) - l(gamma_opt)
  S slope;           ///< |l'(gbar)|
  S c1, M1, M2;      ///< |l'(gamma_opt)|, |l'(gamma_min)|, sup l'' between them
  S delta, range;    ///< Delta_i, R_i
};

/// Everything that the claims of query attention are made of, in one scalar (DoubleBall or Ball).
///
/// Logits, scores and constraint values come from exact arithmetic: each is one conversion of an exact
/// number, whatever cancels in it. Attention follows from exact gaps to the largest logit.
/// Guarantee: every value encloses the exact one.
/// Cost: that of the exact logits, then n T exponentials; parts are computed on first use.
/// Errors: std::runtime_error outside of the standard float environment. Not thread-safe.
/// Note: proofs-notes/attsvm_loss.md.
template <class S>
class QueryAnalysis {
 public:
  /// `point` is null for an analysis without W.
  explicit QueryAnalysis(std::shared_ptr<const QueryFacts> facts,
                         std::shared_ptr<const QueryPointFacts> point = nullptr);

  const QueryFacts& facts() const { return *facts_; }
  const QueryPointFacts* point() const { return point_.get(); }

  /// W is given; W is given and the head is linear with a v.
  const Condition& has_point() const { return has_point_; }
  const Condition& linear_loss() const { return linear_loss_; }

  // The rest needs linear_loss.

  const QueryModel<S>& model() const { return *model_; }
  QueryLoss loss() const { return point_->point.loss; }
  /// The terms of input i. Precondition: counts(i).
  const QueryTerms<S>& terms(std::size_t i) const { return *terms_[i]; }
  bool counts(std::size_t i) const { return facts_->counts(i); }
  std::size_t inputs() const { return facts_->inputs(); }
  /// (1/n) sum_i e_i = L(W) - L_*.
  S excess() const;
  /// sum over inputs of two tokens or more, divided by n.
  template <class F>
  S mean(F&& term) const {
    S sum(0);
    for (std::size_t i = 0; i < inputs(); ++i)
      if (counts(i)) sum += term(i);
    return sum / S(static_cast<int>(inputs()));
  }
  /// Largest and least value over the inputs of two tokens or more. Precondition: some_choice.
  template <class F>
  S largest(F&& term) const {
    std::optional<S> m;
    for (std::size_t i = 0; i < inputs(); ++i)
      if (counts(i)) m = m ? max(*m, S(term(i))) : S(term(i));
    return *m;
  }
  template <class F>
  S least(F&& term) const {
    return -largest([&](std::size_t i) { return S(-term(i)); });
  }

  S gradient_norm() const;  ///< ||grad L(W)||_F
  /// -<grad L, W_mm> for the selected or the optimal tokens, a sum over pairs of tokens with exact
  /// differences: of positive terms where C holds. Precondition: `f` is feasible.
  S descent_along_margin(const SelectionFacts& f) const { return descent(*model_, f); }
  S descent(const QueryModel<S>& model, const SelectionFacts& f) const;
  /// The model at other exact logits, such as those of a multiple of W_mm.
  QueryModel<S> model_at(const std::vector<std::vector<Rational>>& logits) const;
  /// Encloses ||hess L(W)||_op, the norm of a d^2 x d^2 matrix; up to d = 8 tightly, beyond that
  /// between ||H[D]|| for some unit D and ||sum_i ||P_i|| z_i z_i^T|| with H[D] = sum_i P_i D z_i z_i^T.
  S hessian_norm() const;

 private:
  QueryTerms<S> terms_of(std::size_t i) const;

  std::shared_ptr<const QueryFacts> facts_;
  std::shared_ptr<const QueryPointFacts> point_;
  Condition has_point_, linear_loss_;
  std::shared_ptr<const QueryInputs<S>> inputs_;
  std::optional<QueryModel<S>> model_;
  std::vector<std::optional<QueryTerms<S>>> terms_;
  mutable std::optional<S> gradient_norm_, hessian_norm_;
};

/// log sum_t e^{-m_t} of exact m_t, relative to the least one: no overflow, no cancellation.
/// Precondition: m is not empty.
template <class S>
S log_sum_exp_neg(const std::vector<Rational>& m);

/// The square root of an exact number >= 0.
template <class S>
S sqrt_exact(const Rational& x) {
  return x.sign() == 0 ? S(0) : S(sqrt(Scalar<S>::from(x)));
}

extern template class QueryAnalysis<DoubleBall>;
extern template class QueryAnalysis<Ball>;

}  // namespace heed
