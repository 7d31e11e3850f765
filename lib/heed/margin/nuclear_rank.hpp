// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/margin/margin_certificate.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed {

/// For every minimiser W of ||W||_*: the singular values after the k-th add up to at most `tail`.
struct RankBound {
  std::size_t k = 0;
  Rational sigma;  ///< sigma_{k+1}(S) <= sigma < 1
  Rational tail;   ///< (hi - lo) / (1 - sigma) >= sum_{j > k} sigma_j(W); 0 means rank W <= k
};

/// What a bracket of min ||W||_* says about the rank of every minimiser.
struct NuclearRank {
  /// One for every k < min(p, q) at which sigma_{k+1}(S) < 1 is proved, k ascending.
  std::vector<RankBound> bounds;
  /// rank W <= rank_bound whatever the bracket: the lesser of the ranks of the a_k and of the z_i
  /// that occur, the rows of equalities included.
  std::size_t rank_bound = 0;

  /// The bound of least k: the rank up to what the bracket leaves open.
  std::optional<RankBound> best() const {
    return bounds.empty() ? std::nullopt : std::optional<RankBound>(bounds.front());
  }
};

/// The rank certificate: with S = M lo / sum lambda, so that ||S||_2 <= 1 and <S, W> >= lo for
/// every feasible W,
///
///     sum_{j > k} sigma_j(W) <= (hi - lo) / (1 - sigma_{k+1}(S))     for every minimiser W.
///
/// No tolerance on singular values of W enters: the sigma_{k+1}(S) are enclosed (from a
/// decomposition in double with proved error) and everything else is exact. Where lo = hi this is
/// rank W <= k, k the number of singular values of S that are not proved to be less than 1.
/// Precondition: `bracket` is a bracket of this problem in the nuclear norm (MarginBracket), lo >
/// 0.
/// Errors: std::invalid_argument if the multipliers do not fit the problem or lo <= 0.
/// Cost: products of balls, about 3 max(p, q)^3. Note: proofs-notes/nuclear_margin.md.
NuclearRank nuclear_rank(const MarginProblem& problem, const MarginBracket& bracket);

}  // namespace heed
