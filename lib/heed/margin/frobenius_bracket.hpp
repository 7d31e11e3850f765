// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/frobenius_margin.hpp"

namespace heed {

/// An enclosure of min ||W||_F^2 with hi/lo - 1 <= 2^-bits, for problems whose exact optimum would be
/// too long a number.
///
/// The multipliers are refined with exact residuals and a factor in double (50 or 150 digits where
/// that does not converge) and rounded to integers on a common scale; lo and hi follow from them by
/// exact integer arithmetic. With equalities mu is solved for exactly, so that W = M meets them.
/// Whatever the refinement does, the bracket holds; only its width depends on it.
///
/// Result: a MarginBracket, W left absent (W = M); its width may exceed the wish where the rows in use
/// depend on each other. lo and hi are rounded outward to bits + 32 bits. An Infeasibility is
/// exact; MarginUndecided if the rows cannot be told from an infeasible problem.
///
/// Preconditions: 8 <= bits <= 20 000, else std::invalid_argument.
/// Cost: O(m^2 (p + q) + s^3) for m rows and s rows in use, and one O(m p + n p q) product of
/// integers for each 40 bits or so. Note: proofs-notes/frobenius_margin.md.
FrobeniusMargin frobenius_bracket(const MarginProblem& problem, int bits = 64);

}  // namespace heed
