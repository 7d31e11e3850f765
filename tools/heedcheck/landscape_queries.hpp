// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_matrix.hpp"
#include "landscape_model.hpp"

namespace heedcheck {

// X_i W^h, n rows, and X_i W_V^h W_O^h, with the weights of the file.
RationalMatrix projected(const Layer& layer, Block block, std::size_t i, std::size_t h);
RationalMatrix values_of(const Layer& layer, std::size_t i, std::size_t h);

// (X_i W_Q)_a at these coordinates, W_Q alone trained and one head: N n rows.
RationalMatrix queries_at(const Layer& layer, const Rationals& theta);

// X_i, and all tokens, N n rows.
RationalMatrix tokens_of(const Layer& layer, std::size_t i);
RationalMatrix stacked_tokens(const Layer& layer);

// Each row minus the first one; zero iff all rows are equal.
RationalMatrix centred(RationalMatrix a);

// Theorem L8 of proofs-notes/certificates.md: W_Q alone is trained, the read-out is the identity and
// the tokens are linearly independent, so f is a sum of functions of separate queries. Throws Invalid
// otherwise; `claim` begins the reason.
void require_separate_tokens(const Layer& layer, const std::string& claim);
// The first two of the three.
void require_query_only(const Layer& layer, const std::string& claim);

}  // namespace heedcheck
