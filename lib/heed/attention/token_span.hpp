// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "heed/data/instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// The linear span of all tokens of an instance.
struct TokenSpan {
  std::size_t dim = 0;                                    ///< d
  std::vector<std::pair<std::size_t, std::size_t>> rows;  ///< (i, t) of r independent tokens
  std::size_t rank() const { return rows.size(); }
};

/// Exact rank and a choice of independent tokens.
///
/// Guarantee: the named tokens are linearly independent (they are so modulo a prime) and span all
/// others (the rank over the rationals is computed exactly unless it is d or the number of tokens).
/// Cost: an elimination of all tokens modulo a prime; if that leaves the rank below d and below the
/// number of tokens, one over the integers. Precondition: tokens of one dimension.
/// Note: proofs-notes/token_rank.md.
TokenSpan token_span(const std::vector<Matrix<Rational>>& X);

/// Orthonormal basis of a span that is smaller than the space: r x d, its rows e_1, ..., e_r are the
/// Gram-Schmidt basis of the independent tokens, in their order.
///
/// Guarantee: each entry contains the exact one. Radii are below 2^-(working precision + 16).
/// Empty if r = 0, r = d, or the basis needs more than 64 times the working precision (tokens that are
/// almost dependent): callers then do without.
/// Cost: r^2 d multiplications, once or a few times, at some 64 bits more than the working precision.
std::optional<Matrix<Ball>> token_basis(const std::vector<Matrix<Rational>>& X,
                                        const TokenSpan& span);

}  // namespace heed
