// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// What proves lo <= min ||W||_F^2 <= hi (problem `fro`), or lo <= min ||W||_* <= hi (`nuc`).
///
/// lambda >= 0 belongs to the inequalities and mu to the equalities of a MarginProblem; with
/// M = sum lambda_k A_k + sum mu_j E_j,
///
///     fro:  lo <= (sum lambda)^2 / ||M||_F^2          hi >= ||W||_F^2 / s^2,  s = min_k <A_k, W>
///     nuc:  lo <= (sum lambda) / ||M||_2              hi >= (||B||_F^2 + ||C||_F^2) / (2 s),  W = B C^T
///
/// where W meets the equalities exactly; for `fro` an absent W means W = M. Exact solutions have
/// lo = hi. Source: theorems T1 and T2 of certificates.md.
struct MarginBracket {
  std::vector<Rational> lambda, mu;
  std::optional<Matrix<Rational>> W;     ///< fro: p x q
  std::optional<Matrix<Rational>> B, C;  ///< nuc: p x r, q x r
  Rational lo, hi;
};

/// Proof that no W satisfies the constraints: lambda >= 0, not all zero, and
/// sum lambda_k A_k + sum mu_j E_j = 0 (theorem T3 of certificates.md).
struct Infeasibility {
  std::vector<Rational> lambda, mu;
};

}  // namespace heed
