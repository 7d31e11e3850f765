// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/margin/margin_problem.hpp"
#include "heed/numeric/ternary.hpp"

namespace heed {

/// How the minimiser W_F of the Frobenius norm and the minimisers of the nuclear norm are related.
struct NormsCoincide {
  Ternary coincide = Ternary::unknown;  ///< is W_F a minimiser of the nuclear norm?
  Ternary unique = Ternary::unknown;    ///< is there one minimiser of the nuclear norm only?
  std::string reason;                   ///< the hypothesis, or what is not decided
};

/// Decides exactly, where it can, whether the max-margin solution of the Frobenius norm solves the
/// nuclear norm too:
///
///     yes, and uniquely   one input only, or p = 1 or q = 1, or the z_i or the a_k are collinear
///     yes, one of many    the z_i are orthogonal, and so are the a_k of different inputs, and at
///                         least two inputs have inequalities
///     no                  ||W_F||_* > hi for a proved upper bound hi of the nuclear minimum
///     not decided         otherwise
///
/// Zero rows and inputs without rows do not count; rows of equalities do. Infeasible problems and
/// problems without inequalities: not decided, with the reason.
/// Cost: the hypotheses are cheap (m^2 p for the orthogonal case); the rest solves both problems,
/// exactly for the Frobenius norm: set `solve` to false to leave it out.
/// Note: proofs-notes/nuclear_margin.md.
NormsCoincide norms_coincide(const MarginProblem& problem, bool solve = true);

}  // namespace heed
