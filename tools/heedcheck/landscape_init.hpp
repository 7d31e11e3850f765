// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_model.hpp"

namespace heedcheck {

// Bounds that the file gives, all > 0: of spectral norms from above, of the least singular value
// sigma of J at the centre from below.
struct InitBounds {
  mpq_class R, sigma, L_J;
  mpq_class J;  // of init only
  mpq_class U;
  Rationals X;                 // by sample
  Rationals spread, products;  // likewise, for gaussian-normalised: |Pi X| and |Pi (X*X)|
  Rationals weights[4];        // by head
};
InitBounds read_init(const Value& value, const Layer& layer, bool with_J);

// Theorem L13 of proofs-notes/certificates.md, section 7.5: descent on f from the centre with steps up
// to eta stays within R and converges linearly to f = 0. Throws Invalid if a hypothesis is not proved.
void prove_init(const Layer& layer, const Model<Interval>& model, const Rationals& centre,
                const InitBounds& bounds, const mpq_class& eta);

// Theorem L14: within R of the centre lies a point with f = 0. Returns an upper bound of its distance.
mpq_class prove_zero_loss(const Layer& layer, const Model<Interval>& model, const Rationals& centre,
                          const InitBounds& bounds);

}  // namespace heedcheck
