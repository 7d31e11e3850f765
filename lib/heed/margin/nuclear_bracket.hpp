// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "heed/margin/frobenius_margin.hpp"
#include "heed/margin/margin_certificate.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed {

/// What is proved about min ||W||_* of a MarginProblem.
struct NuclearMargin {
  std::variant<MarginBracket, Infeasibility, NoConstraints, MarginUndecided> result;
  bool reached = false;  ///< a bracket with hi <= lo (1 + 10^-digits)
  std::string method;    ///< which candidate the bracket comes from, for reports
};

/// Encloses min ||W||_*: lo <= min ||W||_* <= hi with hi <= lo (1 + 10^-digits), digits >= 1.
///
/// A bracket proves itself: lambda, mu, B and C satisfy theorem T2 of the note in exact arithmetic
/// (MarginBracket), whatever the solver did. They have a common power of two as denominator, except
/// for B where there are equalities. The candidate comes from an interior point method and Newton's
/// method in double; more digits from Newton steps with exact residuals. Where these fall short
/// (multipliers or singular values that vanish together with their slacks, rows that nearly cancel)
/// feasibility is decided by exact_frobenius and the interior point method is run with up to 200
/// digits: for at most 250 rows, p + q <= 64 and digits <= 90. Beyond that the bracket may be wider
/// than asked for; `reached` tells.
///
/// Infeasible problems have the same Farkas vectors as in the Frobenius norm. NoConstraints: no
/// inequalities, W = 0. MarginUndecided says why.
/// Not guaranteed: that the minimiser is unique; that the number of columns of B is its rank, for
/// which see nuclear_rank.hpp.
/// Cost: double: see approx_nuclear.hpp; then some products of integer matrices of about 3.4 digits
/// + 100 bits a step of 10 to 15 digits, and a Cholesky factorisation of order min(p, q) in balls.
/// Errors: std::invalid_argument for digits < 1. Note: proofs-notes/nuclear_margin.md.
NuclearMargin nuclear_bracket(const MarginProblem& problem, int digits = 9);

}  // namespace heed
