// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/support/numbers.hpp"
#include "heed/linalg/matrix.hpp"

namespace heed::checks {

/// Relations between the tokens of one sample.
enum class TokenKind {
  generic,
  duplicate,   ///< one token occurs twice
  zero,        ///< one token is 0
  orthogonal,  ///< multiples of unit vectors, signs and repetitions allowed
  near,        ///< one token is another one plus 1e-7 .. 1e-30 relative
  opposite,    ///< +x and -x
  rank_one,    ///< all on one line
  flat,        ///< the last coordinate is the same for all tokens
  equal        ///< all tokens coincide
};

const char* to_string(TokenKind kind);
TokenKind draw_token_kind(Source& source);
Matrix<Rational> draw_tokens(Source& source, TokenKind kind, NumberKind numbers, std::size_t tokens,
                             std::size_t dim);

Matrix<Rational> draw_matrix(Source& source, NumberKind numbers, std::size_t rows,
                             std::size_t cols);

}  // namespace heed::checks
