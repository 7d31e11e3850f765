// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/frobenius_margin.hpp"

namespace heed {

/// The Frobenius margin of a max-margin problem over the rationals: always decides.
///
/// Either a MarginBracket with lo = hi = min ||W||_F^2 = sum of lambda, attained at W = sum lambda_k A_k
/// + sum mu_j E_j (left absent), or the Farkas vector of an infeasible problem, or NoConstraints.
/// lambda solves the optimality conditions exactly: lambda >= 0, <A_k, W> >= 1 with equality where
/// lambda_k > 0, <E_j, W> = 0. The minimiser W is unique, lambda need not be.
///
/// The rows with positive multiplier are guessed in double, then with 50 and 150 digits; each guess
/// is completed and proved by exact non-negative least squares over the integers, which would also
/// end without a guess. Equal rows count once: one of them gets the multiplier. Dependent equalities are allowed.
///
/// Cost: linear systems of s rows in use over the integers, about s^3 times the bits of the data; for
/// data in double 0.3 s at s = 110, 5 s at s = 270; every number of the result has about 240 s bits.
/// Note: proofs-notes/frobenius_margin.md.
FrobeniusMargin exact_frobenius(const MarginProblem& problem);

}  // namespace heed
