// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/descent_pl.hpp"

#include <memory>
#include <stdexcept>

#include "heed/theory/kernel_convergence.hpp"

namespace heed {
namespace {

// Fails on the first hypothesis that is not proved.
bool all_proved(PositiveCertificate& certificate, const std::vector<Condition>& hypotheses) {
  for (const Condition& c : hypotheses) {
    if (c.is_proved()) continue;
    certificate.reason = c.failure;
    return false;
  }
  return true;
}

}  // namespace

const Ball& PositiveCertificate::constant(const std::string& name) const {
  for (const NamedConstant& c : constants)
    if (c.name == name) return c.value;
  throw std::invalid_argument(claim + " has no constant " + name);
}

PositiveCertificate certify_pl(const KernelInstance& instance, AttentionKernel kernel,
                               KernelBlocks trained) {
  const bool values = trained == KernelBlocks(KernelBlock::value);
  PositiveCertificate result{
      "landscape.pl", values ? "kernel.pl_value_only" : "kernel.pl_block", {}, "", {}};
  result.kind = VerdictKind::not_applicable;
  if (!values && trained != KernelBlocks(KernelBlock::output)) {
    result.reason = "neither W_V alone nor W_O alone is trained";
    return result;
  }
  const KernelAnalysis<Ball> a(std::make_shared<const KernelFacts>(instance, kernel));
  if (!all_proved(result, {a.small()}) || !all_proved(result, {a.mu_positive(trained)}))
    return result;
  result.kind = VerdictKind::proved;
  result.constants = {{"mu", a.mu(trained)}, {"L", a.L(trained)}};
  return result;
}

PositiveCertificate certify_init(const KernelInstance& instance, AttentionKernel kernel,
                                 KernelBlocks trained) {
  PositiveCertificate result{"landscape.init", "kernel.init_condition.all", {}, "", {}};
  result.kind = VerdictKind::not_applicable;
  const KernelAnalysis<Ball> a(std::make_shared<const KernelFacts>(instance, kernel));
  if (!all_proved(result, {a.small()}) ||
      !all_proved(result, {a.loss_positive(), a.mu_positive(trained)}))
    return result;
  const InitCondition<Ball> c = init_condition(a, trained);
  if (!all_proved(result, {c.holds})) return result;
  result.kind = VerdictKind::proved;
  result.constants = {{"sigma", c.sigma}, {"J", c.J},   {"L_J", c.L_J},
                      {"R", c.R},         {"mu", c.mu}, {"L", c.L}};
  return result;
}

}  // namespace heed
