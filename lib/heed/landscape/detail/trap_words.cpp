// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/trap_words.hpp"

#include "heed/numeric/precision.hpp"

namespace heed::detail {

std::string unbounded_orbit(const LandscapeProblem& problem) {
  const auto trains = [&](KernelBlock a, KernelBlock b) {
    return problem.trained.contains(a) && problem.trained.contains(b);
  };
  if (problem.kernel == AttentionKernel::softmax && trains(KernelBlock::query, KernelBlock::key))
    return "W_Q and W_K are trained together: f is constant on a connected unbounded set through "
           "every point, which meets every boundary";
  if (trains(KernelBlock::value, KernelBlock::output))
    return "W_V and W_O are trained together: f is constant on a connected unbounded set through "
           "every point, which meets every boundary";
  return "";
}

Verdict fails_forever(const Verdict& trap, const Ball& region_loss, bool has_witness,
                      const std::string& differs, const Ball& witness_loss) {
  Verdict v;
  v.kind = VerdictKind::undecided;
  v.bits = working_precision();
  if (!has_witness) {
    v.reason = "no witness of a lower loss was given";
  } else if (!differs.empty()) {
    v.kind = VerdictKind::not_applicable;
    v.reason = "the witness differs in " + differs + ", which is not trained";
  } else if (trap.kind != VerdictKind::proved) {
    v.reason = "the trap is not proved";
  } else if (certainly(less(witness_loss, region_loss))) {
    v.kind = VerdictKind::proved;
  } else {
    v.reason = "the loss of the witness is not proved to lie below f on all of B";
  }
  return v;
}

}  // namespace heed::detail
