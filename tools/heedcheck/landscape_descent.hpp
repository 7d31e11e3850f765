// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_matrix.hpp"
#include "landscape_model.hpp"

namespace heedcheck {

// Theorems L10 to L12 of proofs-notes/certificates.md, section 7.5. Each throws Invalid if a
// hypothesis is not proved.

// No stationary point of f as a function of W_Q is non-global.
void prove_lojasiewicz(const Layer& layer);

// Descent on W_Q from the centre with steps up to eta converges linearly to f = 0; returns a lower
// bound c of the rate: g_{t+1} <= (1 - eta c) g_t for every token.
mpq_class prove_overshoot(const Layer& layer, const Rationals& centre, const mpq_class& eta);

// mu |r|^2 <= |J^T r|^2 <= L |r|^2 for all r, J of the one trained block, W_V or W_O, anywhere.
void prove_pl(const Layer& layer, const Model<Interval>& model, const mpq_class& mu,
              const mpq_class& L);

// J J^T by all coordinates, at theta.
IntervalMatrix jacobian_gram(const Model<Interval>& model, const std::vector<Interval>& theta);
// lo I < G, and lo I < G < hi I; `claim` begins the reason.
void prove_gram_above(IntervalMatrix G, const mpq_class& lo, const std::string& claim);
void prove_gram_between(const IntervalMatrix& G, const mpq_class& lo, const mpq_class& hi,
                        const std::string& claim);

}  // namespace heedcheck
