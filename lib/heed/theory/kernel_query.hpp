// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// kernel.pl_query_only: with read-out I and C_ia^h = d phi_ia / d q_ia^h (p x d),
/// mu_Q >= sigma_Nn(X_stack)^2 min_ia lambda_min(sum_h C C^T), and a bound of each lambda_min(C C^T).
/// Note: proofs-notes/kernel_pl.md.
template <class S>
void query_only_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                       std::vector<RungValues<S>>& all);

}  // namespace heed
