// SPDX-License-Identifier: Apache-2.0
#include "checks/support/kernel_claims.hpp"

#include <cmath>

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/rung_checks.hpp"

namespace heed::checks {

std::shared_ptr<const KernelFacts> kernel_facts(const KernelInstance& instance) {
  return std::make_shared<const KernelFacts>(instance, *instance.kernel);
}

void check_kernel_family(const KernelClaimFamily& family, const KernelInstance& instance,
                         Tally& tally) {
  const auto facts = kernel_facts(instance);
  check_rungs(
      family.infos(), [&] { return family.doubles(KernelAnalysis<DoubleBall>(facts), every_rung); },
      [&] { return family.balls(KernelAnalysis<Ball>(facts), every_rung); }, tally);
}

void check_consistent(const std::vector<IdentityResult>& identities, Tally& tally) {
  for (const IdentityResult& r : identities) {
    ++tally[r.id + " " + r.status];
    require(r.status != "inconsistent", r.id + ": inconsistent by " + text(r.deviation));
  }
}

KernelInstance near_its_outputs(KernelInstance k, const Rational& offset) {
  const auto model = kernel_model<double>(k, *k.kernel);
  for (std::size_t i = 0; i < k.samples(); ++i)
    for (std::size_t e = 0; e < k.Y[i].size(); ++e) {
      const double f = model.outputs(i).data()[e];
      if (!std::isfinite(f)) continue;
      const Rational exact(f);
      k.Y[i].data()[e] = exact + offset * (exact.sign() == 0 ? Rational(1) : exact);
    }
  return k;
}

}  // namespace heed::checks
