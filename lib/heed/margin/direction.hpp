// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/margin/margin_certificate.hpp"
#include "heed/margin/margin_problem.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// The primal point of a Frobenius bracket: its W, or M = sum lambda_k A_k + sum mu_j E_j.
Matrix<Rational> bracket_point(const MarginProblem& problem, const MarginBracket& bracket);

/// mu(W) = min_k <A_k, W>, exactly. Precondition: the problem has inequalities.
Rational least_row_value(const MarginProblem& problem, const Matrix<Rational>& W);

/// How the direction of W compares with the maximal margins, for W != 0.
///
///     corr  = <W, W_mm> / (||W||_F ||W_mm||_F)        rho_F = mu(W) / (Gamma_F ||W||_F)  <= corr, <= 1
///                                                     rho_N = mu(W) / (Gamma_N ||W||_*)  <= 1
///
/// W_mm is the unique Frobenius solution; rho_N = 1 exactly if W / mu(W) is *a* nuclear solution, so
/// rho_N does not suffer where the nuclear solution is not unique.
/// Source: attsvm.corr_from_margin and cert_ball.
struct Direction {
  Rational mu;
  std::optional<Ball> correlation, rho_frobenius, rho_nuclear;
};

/// Encloses them at the working precision from proved brackets of min ||W||_F^2 and min ||W||_*.
///
/// corr comes from the bracket's W (or lambda) and the distance to W_mm that its gap allows; a value
/// that the brackets do not determine in sign or size has a wide enclosure. Entries are empty where
/// the bracket is missing. Precondition: W != 0, the problem has inequalities, the brackets are right.
Direction direction(const MarginProblem& problem, const Matrix<Rational>& W,
                    const MarginBracket* frobenius, const MarginBracket* nuclear);

/// For each input the tokens of the largest logit x_it^T W z_i, in ascending order, exactly.
std::vector<std::vector<std::size_t>> largest_logits(const QueryInstance& instance,
                                                     const Matrix<Rational>& W);

/// Whether the selected tokens are locally optimal: their Frobenius problem is feasible, and every
/// unselected token whose constraint is active at its solution has a smaller score than the selected
/// one. Decided exactly; empty where the solution is too large to be exact.
/// Precondition: v, one selected token an input. Source: attsvm.locally_optimal.
std::optional<bool> locally_optimal(const QueryInstance& instance);

}  // namespace heed
