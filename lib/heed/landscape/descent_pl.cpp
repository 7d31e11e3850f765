// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/descent_pl.hpp"

#include <memory>
#include <stdexcept>

#include "heed/theory/kernel_analysis.hpp"

namespace heed {
namespace {

PositiveCertificate not_applicable(std::string reason) {
  return {
      "landscape.pl", "kernel.pl_value_only", VerdictKind::not_applicable, std::move(reason), {}};
}

}  // namespace

const Ball& PositiveCertificate::constant(const std::string& name) const {
  for (const NamedConstant& c : constants)
    if (c.name == name) return c.value;
  throw std::invalid_argument(claim + " has no constant " + name);
}

PositiveCertificate certify_pl(const KernelInstance& instance, AttentionKernel kernel,
                               KernelBlocks trained) {
  if (trained != KernelBlocks(KernelBlock::value) && trained != KernelBlocks(KernelBlock::output))
    return not_applicable("neither W_V alone nor W_O alone is trained");
  const KernelAnalysis<Ball> a(std::make_shared<const KernelFacts>(instance, kernel));
  for (const Condition& c : {a.small(), a.mu_positive(trained)})
    if (!c.is_proved()) return not_applicable(c.failure);
  const bool values = trained == KernelBlocks(KernelBlock::value);
  return {"landscape.pl",
          values ? "kernel.pl_value_only" : "kernel.pl_block",
          VerdictKind::proved,
          "",
          {{"mu", a.mu(trained)}, {"L", a.L(trained)}}};
}

}  // namespace heed
