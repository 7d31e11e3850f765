// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/theory/decision.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// Numbers of an instance at its weights.
struct KernelQuantities {
  Ball loss, gradient_norm;
  std::map<std::string, Ball> gradient_squared;  ///< |df/d block|^2 by block word
  /// mu and L, the ends of J J^T, by block word and `all`; empty beyond max_kernel_residuals.
  std::map<std::string, Extremes<Ball>> pl;
  /// grad f /= 0. Never from double: there attention may be 0 that is not (see `underflow`).
  bool not_stationary = false;
};

struct KernelVerifyReport {
  AttentionKernel kernel = AttentionKernel::softmax;
  std::vector<ClaimResult> claims;
  std::vector<IdentityResult> identities;
  std::shared_ptr<const KernelFacts> facts;  ///< ranks and hypotheses, exactly
  KernelQuantities quantities;
  std::optional<AttentionEntry> underflow;  ///< an entry of S that is 0 in double
  int bits = 0;               ///< of the last tier; double_bits if nothing needed a Ball
  bool budget_ended = false;  ///< some digits or verdicts are missing because the budget ended
};

/// Evaluates every claim on an instance of kernel attention with one kernel: ranks and hypotheses
/// exactly, once; then DoubleBall and Ball as for verify(MhaInstance).
///
/// A hypothesis such as mu > 0 that neither holds nor fails for an exact reason is tried up to
/// kernel_rank_bits; then the claim is not applicable.
/// Guarantee: as for verify(MhaInstance).
/// Cost: see KernelAnalysis; the Hessian by W_Q where it is small. Note: proofs-notes/decision.md.
KernelVerifyReport verify(const KernelInstance& instance, AttentionKernel kernel,
                          const Budget& budget);

}  // namespace heed
