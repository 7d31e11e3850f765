// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/margin/frobenius_margin.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed {

/// A correlation <A, B> / (||A||_F ||B||_F) of two exact matrices that are not 0.
struct Correlation {
  int sign = 0;
  Rational squared;  ///< of the correlation, <= 1
};

/// corr(A, B); nothing if a norm is 0.
std::optional<Correlation> correlation(const Matrix<Rational>& A, const Matrix<Rational>& B);

/// The generalised SVM of the selected sets O_i at an iterate W, all in exact numbers.
///
/// With S_fin = span{(x_is - x_iu) z_i^T : s, u in O_i}:
///
///     W_fin = P_fin W,  the least matrix whose logit gaps inside the O_i are those of W;
///     W_dir = argmin ||V||_F  s.t. <(x_is - x_it) z_i^T, V> >= 1 (s in O_i, t not),  V orthogonal to S_fin;
///     R     = max(0, <W, W_dir> / ||W_dir||^2),  so that W_fin + R W_dir is nearest to W among R >= 0.
struct GeneralisedSvm {
  /// What exact_frobenius says of the W_dir problem: a bracket, an infeasibility proof (the sets cannot
  /// be separated), or no constraints (every token is selected).
  FrobeniusMargin margin;
  Matrix<Rational> W_fin;
  std::optional<Matrix<Rational>> W_dir;  ///< where the problem is feasible and has constraints
  std::optional<Rational> R;              ///< with W_dir
  /// ||W_fin||^2 / ||W||^2: how much of W the first part explains whatever W_dir is. Not for W = 0.
  std::optional<Rational> fin_share;
  /// corr(W_fin + R W_dir, W), never negative; with W_dir, unless W = 0 or W_fin + R W_dir = 0.
  std::optional<Correlation> prediction;
  /// corr(W - W_fin, W_dir): what the SVM says that the logit gaps inside the O_i do not. With W_dir,
  /// unless W lies in S_fin.
  std::optional<Correlation> informative;
};

/// Precondition: the instance has selected tokens for every input; W: d x d.
/// Cost: exact_frobenius, and exact elimination on as many rows as there are selected tokens besides
/// the references. Note: proofs-notes/generalised_svm.md. Source: attsvm.md section 8.
GeneralisedSvm generalised_svm(const QueryInstance& instance, const Matrix<Rational>& W);

/// The structure lemma at W, decided exactly: <W_fin, W_dir> = 0 and
/// prediction^2 = (||W_fin||^2 + R <W, W_dir>) / ||W||^2. Nothing where there is no prediction.
std::optional<bool> structure_lemma_holds(const GeneralisedSvm& svm, const Matrix<Rational>& W);

/// The least matrix whose gaps <E_j, .> are those of another one.
struct LeastMatrix {
  std::vector<Rational> gaps;  ///< c_j = <E_j, W>
  std::vector<Rational> mu;    ///< W_fin = sum mu_j E_j
  Matrix<Rational> W_fin;
  Rational squared_norm;  ///< ||W_fin||_F^2 = sum mu_j c_j
};

/// argmin ||V||_F s.t. <E_j, V> = <E_j, W> for the equalities of a problem, exactly: P_fin W, the
/// nearest matrix in the span of the E_j. Cost: exact elimination on as many rows as equalities.
LeastMatrix least_with_gaps_of(const MarginProblem& problem, const Matrix<Rational>& W);

/// The tokens with softmax probability s_it >= threshold at W, for each input, the largest logit first
/// (of equal ones the first), the others ascending. Decided with enclosures at rising precision:
/// s_it = threshold happens only where all logits of an input are equal, which is seen exactly.
/// Nothing if max_bits do not suffice. Precondition: 0 < threshold <= 1; an input may end up without
/// a token if the threshold is larger than its largest probability.
std::optional<std::vector<std::vector<std::size_t>>> selected_by_softmax(
    const QueryInstance& instance, const Matrix<Rational>& W, const Rational& threshold,
    int max_bits = 8192);

}  // namespace heed
