// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/zero_loss.hpp"

#include <memory>

#include "heed/theory/kernel_convergence.hpp"

namespace heed {

ZeroLossResult certify_zero_loss(const LandscapeProblem& problem,
                                 const std::vector<Rational>& theta) {
  KernelInstance at = problem.instance;
  at.weights = problem.weights(theta);
  const KernelAnalysis<Ball> a(std::make_shared<const KernelFacts>(at, problem.kernel));
  ZeroLossResult result;
  result.verdict.kind = VerdictKind::not_applicable;
  const auto fails = [&](const Condition& c) {
    if (!c.is_proved()) result.verdict.reason = c.failure;
    return !c.is_proved();
  };
  if (fails(a.small()) || fails(a.mu_positive(problem.trained))) return result;
  const Existence<Ball> e = existence(a, problem.trained);
  if (fails(e.holds)) return result;
  result = {{VerdictKind::proved, ""}, e.t_star, e.sigma, e.R, e.L_J};
  return result;
}

}  // namespace heed
