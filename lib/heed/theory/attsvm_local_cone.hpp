// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/query_analysis.hpp"

namespace heed {

/// The exact constants of attsvm.local_cone for the selected tokens.
struct ConeConstants {
  Rational dd;         ///< min(2, least <A_k, W_mm> - 1 over constraints that are not active)
  Rational mu;         ///< the cone is corr(W, W_mm) >= 1 - mu
  Rational delta_loc;  ///< least gamma_alpha - gamma_t over support tokens
  Rational N;          ///< B C_g + (B - 1) R_g (T - 1)
  long support = 0, others = 0;
  long tokens = 0;  ///< T, the largest
};

/// Precondition: locally_optimal.
ConeConstants cone_constants(const QueryFacts& facts);

/// Gamma R_loc, the least Gamma ||W|| from which the cone has no stationary point. Precondition: as above
/// and linear_loss.
template <class S>
S cone_radius(const QueryAnalysis<S>& a, const ConeConstants& c);

/// The rungs of attsvm.local_cone; see attsvm_landscape.hpp.
template <class S>
void add_local_cone(const QueryAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all);

extern template void add_local_cone(const QueryAnalysis<DoubleBall>&, const Wanted&,
                                    std::vector<RungValues<DoubleBall>>&);
extern template void add_local_cone(const QueryAnalysis<Ball>&, const Wanted&,
                                    std::vector<RungValues<Ball>>&);
extern template DoubleBall cone_radius(const QueryAnalysis<DoubleBall>&, const ConeConstants&);
extern template Ball cone_radius(const QueryAnalysis<Ball>&, const ConeConstants&);

}  // namespace heed
