// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_convergence.hpp"

#include "checks/support/compare.hpp"
#include "checks/support/kernel_claims.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_smooth.hpp"

namespace heed::checks {
namespace {

const KernelClaimFamily family{&kernel_convergence_claims<Ball>,
                               &kernel_convergence_claims<DoubleBall>,
                               &kernel_convergence_claim_infos};

// As drawn, and with targets so close to the outputs that the conditions hold.
void rungs(const KernelInstance& k, Tally& tally) {
  check_kernel_family(family, k, tally);
  check_kernel_family(family, near_its_outputs(k, Rational::power_of_two(-40)), tally);
}

// Gradient descent on all blocks where the condition holds: rate, distance, and the end of the path.
void runs(const KernelInstance& drawn, Tally& tally) {
  if (!is_tame(drawn)) return;
  for (const int exponent : {-10, -20, -40}) {
    const KernelInstance k = near_its_outputs(drawn, Rational::power_of_two(exponent));
    const KernelAnalysis<Ball> a(kernel_facts(k));
    const auto all = KernelBlocks::all();
    if (!a.mu_positive(all).is_proved() || !a.loss_positive().is_proved()) return;
    const InitCondition<Ball> c = init_condition(a);
    if (!c.holds.is_proved()) {
      ++tally["the condition does not hold"];
      continue;
    }
    const Ball eta = Ball(1) / c.L;
    const std::vector<Ball> start = flatten(a.model().weights(), all);
    std::vector<Ball> w = start;
    Ball bound = a.loss();
    for (int step = 0; step < 5; ++step) {
      const auto g = flatten(a.model_at(with_flat(a.model().weights(), all, w)).gradient(), all);
      std::vector<Ball> gap;
      for (std::size_t e = 0; e < w.size(); ++e) {
        w[e] -= eta * g[e];
        gap.push_back(w[e] - start[e]);
      }
      bound *= Ball(1) - eta * c.mu;
      const Ball loss = a.model_at(with_flat(a.model().weights(), all, w)).loss();
      require(!certainly(less(bound, loss)), "slower than promised");
      require(!certainly(less(square(c.R), squared_norm(gap))), "farther than promised");
    }
    ++tally["runs"];
  }
}

}  // namespace

std::vector<Property> kernel_convergence_properties() {
  return {kernel_property("kernel_convergence.rungs", "rates, paths and conditions", 200, rungs),
          kernel_property("kernel_convergence.runs",
                          "gradient descent on all blocks keeps what the condition promises", 200,
                          runs)};
}

}  // namespace heed::checks
