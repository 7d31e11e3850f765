// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed::approx {

/// How the solver ended: at rounding level, at the interior point method's 1e-8, without a bound on
/// the multipliers (an infeasible problem, or nearly), or with nothing to solve.
enum class NuclearEnd { polished, interior_point, infeasible_suspected, no_constraints };

/// `polished`, `interior point`, `infeasible suspected` or `no constraints`.
std::string_view word(NuclearEnd end);

/// A primal and dual pair of min ||W||_* in double: W = B C^T with B^T B = C^T C up to rounding,
/// and multipliers with ||sum lambda_k A_k + sum mu_j E_j||_2 = 1 and sum lambda = ||W||_*,
/// likewise.
struct NuclearPair {
  NuclearEnd end = NuclearEnd::no_constraints;
  Matrix<double> B, C;  ///< p x r, q x r
  std::vector<double> lambda, mu;
  std::vector<std::size_t> active;  ///< inequalities that are tight
  double value = 0;                 ///< (||B||_F^2 + ||C||_F^2) / 2
};

/// Solves a max-margin problem in the nuclear norm in double.
///
/// A primal-dual interior point method for the semidefinite program (HKM direction, predictor and
/// corrector, rank-one structure), in the spans of the a_k and of the z_i and for many rows on a
/// growing set of them, gives the rank and the active rows; Newton's method for B, C and the
/// multipliers of these rows then reaches relative errors of about 1e-15. Degenerate systems (equal
/// or dependent rows) are solved in the sense of least norm; ranks and rows that do not fit are
/// changed.
///
/// No error bound: nuclear_bracket proves one. Any scale of the data: rows are scaled first.
/// Cost: an iteration p m^2 / 2 + m^3 / 6 multiplications, 10 to 20 iterations, for m rows of the
/// set in use. One core: 1 ms for 6 inputs, 8 tokens, d = 10; 0.02 s (20, 10, 20); 2 s (100, 32,
/// 64). Note: proofs-notes/nuclear_margin.md.
NuclearPair nuclear_pair(const MarginProblem& problem);

}  // namespace heed::approx
