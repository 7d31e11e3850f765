// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// An exact identity of the model, evaluated on an instance in enclosures. `consistent`: every difference
/// of its two sides contains 0; `inconsistent`: one certainly does not, which would be an error of
/// this program; `not_applicable` with the reason.
struct IdentityResult {
  std::string id;
  std::string statement;
  std::string status;
  std::string reason;
  Ball deviation;  ///< upper bound of the largest |difference|
  std::size_t comparisons = 0;
};

/// I1 .. I8 of the multi-head model, in DoubleBall or in Ball at the working precision:
///   I1  <grad_U Phi, U> = Phi                    I2  rows of Gam, dA, dGam sum to 0
///   I3  token and head permutations keep Phi     I4  orthogonal maps keep Phi
///   I5  (cX, U/c, W/c^2) keeps Phi               I6  W + p e^T keeps A where x_s . e is constant
///   I7  T_i = 1: A = 1, grad_W Phi = 0, hess Phi = 0
///   I8  the UU block of hess Phi and the coupling of heads vanish
/// and `loss.a`: p = 1 - e^{-l} (logistic).
/// Cost: five more evaluations of the model. Note: proofs-notes/identities.md.
template <class S>
std::vector<IdentityResult> check_identities(const MhaInstance& instance, const MhaAnalysis<S>& a);

extern template std::vector<IdentityResult> check_identities(const MhaInstance&,
                                                             const MhaAnalysis<DoubleBall>&);
extern template std::vector<IdentityResult> check_identities(const MhaInstance&,
                                                             const MhaAnalysis<Ball>&);

}  // namespace heed
