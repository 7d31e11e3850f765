// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// Convergence of gradient descent:
///   kernel.local_pl            value_rate  f_t <= (1 - mu_V / L_V)^t f_0, W_V alone, step 1 / L_V
///                              value_path  sum_t |W_{t+1} - W_t| <= 2 sqrt(2 f_0 / mu_V)
///   kernel.init_condition.all  rate        f_1 <= (1 - mu / L) f_0, all blocks, one step 1 / L
///                              distance    |W_1 - W_0| <= 4 |r_0| / sigma_0
///   kernel.existence           distance    t* <= 2 |r_0| / sigma_0: a point of zero loss within t*
/// Note: proofs-notes/kernel_convergence.md.
template <class S>
std::vector<RungValues<S>> kernel_convergence_claims(const KernelAnalysis<S>& a,
                                                     const Wanted& wanted);

std::vector<ClaimInfo> kernel_convergence_claim_infos();

/// The constants of kernel.init_condition for some trained blocks: sigma_0 = sqrt(mu) at the weights, R = 4 |r_0| / sigma_0,
/// the least radius that meets (ii) |r_0| <= sigma_0 R / 4; `holds`: (i) L_J(R) R <= sigma_0 / 2. As
/// L_J(R) R grows with R, no other R can do where this one fails.
template <class S>
struct InitCondition {
  Condition holds;
  S sigma, R, L_J, J;  ///< J: |J_0|
  S mu, L;             ///< on the ball: |grad f|^2 >= 2 mu f, and the gradient is L-Lipschitz
};

/// Precondition: mu_positive of the trained blocks, proved.
template <class S>
InitCondition<S> init_condition(const KernelAnalysis<S>& a,
                                KernelBlocks trained = KernelBlocks::all());

/// kernel.existence for some trained blocks: sigma = sqrt(mu) at the weights; `holds`: h = L_J |r_0| /
/// sigma^2 <= 1/2 with L_J valid on the radius t*. Then a point of zero loss lies within t_star, which
/// is at most `most` = 2 |r_0| / sigma. R: the radius that L_J was taken for, t_star <= R.
template <class S>
struct Existence {
  Condition holds;
  S sigma, R, L_J, t_star, most;
};

/// Precondition: mu_positive of the trained blocks, proved.
template <class S>
Existence<S> existence(const KernelAnalysis<S>& a, KernelBlocks trained = KernelBlocks::all());

extern template std::vector<RungValues<DoubleBall>> kernel_convergence_claims(
    const KernelAnalysis<DoubleBall>&, const Wanted&);
extern template std::vector<RungValues<Ball>> kernel_convergence_claims(const KernelAnalysis<Ball>&,
                                                                        const Wanted&);
extern template InitCondition<DoubleBall> init_condition(const KernelAnalysis<DoubleBall>&,
                                                         KernelBlocks);
extern template InitCondition<Ball> init_condition(const KernelAnalysis<Ball>&, KernelBlocks);
extern template Existence<DoubleBall> existence(const KernelAnalysis<DoubleBall>&, KernelBlocks);
extern template Existence<Ball> existence(const KernelAnalysis<Ball>&, KernelBlocks);

}  // namespace heed
