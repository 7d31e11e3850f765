// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "checks/support/property.hpp"
#include "heed/theory/claim.hpp"
#include "heed/theory/identities.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed::checks {

/// The functions of one family of claims about kernel attention.
struct KernelClaimFamily {
  template <class S>
  using Evaluate = std::vector<RungValues<S>> (*)(const KernelAnalysis<S>&, const Wanted&);

  Evaluate<Ball> balls;
  Evaluate<DoubleBall> doubles;
  std::vector<ClaimInfo> (*infos)();
};

/// What holds for every family at the weights of an instance, with its kernel:
///   the rungs are those of the index, once each, with items or a reason for having none;
///   in doubles, at 128 and at 400 bits no rung is refuted, and all enclose the same numbers.
void check_kernel_family(const KernelClaimFamily& family, const KernelInstance& instance,
                         Tally& tally);

/// No identity is inconsistent.
void check_consistent(const std::vector<IdentityResult>& identities, Tally& tally);

/// The facts of an instance with its kernel.
std::shared_ptr<const KernelFacts> kernel_facts(const KernelInstance& instance);

/// The targets are moved to the outputs, rounded, plus `offset` of the size of the outputs.
KernelInstance near_its_outputs(KernelInstance instance, const Rational& offset);

}  // namespace heed::checks
