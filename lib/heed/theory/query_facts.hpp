// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/margin/frobenius_margin.hpp"
#include "heed/margin/margin_problem.hpp"
#include "heed/numeric/ternary.hpp"

namespace heed {

/// A hypothesis of a claim, decided exactly.
struct Condition {
  std::string text;                  ///< `the optimal tokens are unique`
  std::string failure;               ///< why it is not certain; empty if it is
  Ternary holds = Ternary::unknown;  ///< certainly_true: proved

  static Condition proved(std::string text) {
    return {std::move(text), "", Ternary::certainly_true};
  }
  static Condition disproved(std::string text, std::string failure) {
    return {std::move(text), std::move(failure), Ternary::certainly_false};
  }
  static Condition open(std::string text, std::string failure) {
    return {std::move(text), std::move(failure), Ternary::unknown};
  }
  bool is_proved() const { return certainly(holds); }
};

/// The max-margin problem of one choice of tokens and what is known of it exactly.
struct SelectionFacts {
  std::vector<std::size_t> alpha;  ///< the (first) selected token of every input
  bool tied = false;               ///< an input has several selected tokens: there are equalities
  MarginProblem problem;
  FrobeniusMargin frobenius;
  std::optional<MarginBracket> nuclear;  ///< lo <= min ||W||_* <= hi, proved elsewhere

  Condition feasible;  ///< some W meets the constraints, and there is at least one inequality
  /// The Frobenius solution W_mm, its squared norm, multipliers, <A_k, W_mm>, X_i W_mm z_i; empty
  /// unless `feasible`.
  Matrix<Rational> W;
  Rational norm2;
  std::vector<Rational> lambda, values;
  std::vector<std::vector<Rational>> logits;

  /// max_t ||x_alpha - x_t||^2 ||z_i||^2: the square of A_i, one an input, 0 where T_i = 1.
  std::vector<Rational> A2;
  Rational largest_A2() const;
};

/// Scores of one input of T_i >= 2 tokens; opt is the first optimal one.
struct ScoreFacts {
  std::size_t opt = 0;
  Rational best, least;  ///< gamma_opt, gamma_min
  Rational delta;        ///< Delta_i = min_{t != opt} (gamma_opt - gamma_t)
  Rational range;        ///< R_i = gamma_opt - gamma_min
  Rational rest;         ///< R'_i = range of gamma over t != opt
};

/// Everything about an instance of query attention, without a point W, that the claims need and that
/// is decidable over the rationals. Computed once, used in every scalar and precision.
///
/// alpha = `selected` of the instance; the claims about the landscape are about alpha = opt, the
/// tokens of the largest score gamma_it = y_i v^T x_it. Inputs of one token are left out of every
/// maximum and minimum and keep their place in n.
/// Cost: one or two exact margins (exact_frobenius.hpp).
/// Note: proofs-notes/attsvm_landscape.md. Source: sections 2 and 4 of the sheet on arXiv 2308.16898.
class QueryFacts {
 public:
  /// `nuclear`: a proved bracket of min ||W||_* for the selected tokens. Precondition: the instance
  /// is as the reader makes it.
  explicit QueryFacts(const QueryInstance& instance, std::optional<MarginBracket> nuclear = {});

  const QueryInstance& instance() const { return instance_; }
  std::size_t inputs() const { return instance_.inputs(); }
  /// T_i >= 2.
  bool counts(std::size_t i) const { return instance_.X[i].rows() > 1; }

  const SelectionFacts& selected() const { return selected_; }
  /// For alpha = opt; the same object where the selected tokens are the optimal ones. Precondition:
  /// unique_optima.
  const SelectionFacts& optimal() const { return optimal_ ? *optimal_ : selected_; }

  /// gamma_it; empty without v.
  const std::vector<std::vector<Rational>>& scores() const { return scores_; }
  /// One an input, meaningful where counts(i); empty without v.
  const std::vector<ScoreFacts>& score_facts() const { return score_facts_; }

  Condition some_choice;    ///< some input has two tokens
  Condition unique_optima;  ///< v is given and no input has two optimal tokens
  Condition equal_scores;   ///< E: for every i all gamma_it, t != opt, are equal
  Condition all_support;    ///< S: <A_k, W_mm(opt)> = 1 for every k
  /// C: (a_t - a_u)(gamma_t - gamma_u) >= 0 for all i, t, u with a = X_i W_mm(opt) z_i.
  Condition comonotone;
  /// Every support token t of W_mm(selected) has gamma_alpha > gamma_t; needs no unique optima.
  Condition locally_optimal;

 private:
  void judge_scores();
  void judge_optima();

  QueryInstance instance_;
  SelectionFacts selected_;
  std::optional<SelectionFacts> optimal_;
  std::vector<std::vector<Rational>> scores_;
  std::vector<ScoreFacts> score_facts_;
};

/// X_i W z_i of every input, exactly.
std::vector<std::vector<Rational>> exact_logits(const QueryInstance& instance,
                                                const Matrix<Rational>& W);

}  // namespace heed
