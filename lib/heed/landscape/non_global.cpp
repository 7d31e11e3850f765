// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/non_global.hpp"

#include <stdexcept>

#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

bool same_shapes(const KernelWeights<Rational>& a, const KernelWeights<Rational>& b) {
  for (const KernelBlock block : kernel_blocks) {
    const auto &x = block_of(a, block), &y = block_of(b, block);
    if (x.size() != y.size()) return false;
    for (std::size_t h = 0; h < x.size(); ++h)
      if (x[h].rows() != y[h].rows() || x[h].cols() != y[h].cols()) return false;
  }
  return true;
}

}  // namespace

std::string differing_untrained_block(const LandscapeProblem& problem,
                                      const KernelWeights<Rational>& witness) {
  if (!same_shapes(problem.instance.weights, witness))
    throw std::invalid_argument("landscape: expected a witness of the shapes of the weights");
  for (const KernelBlock block : kernel_blocks)
    if (!problem.trained.contains(block) &&
        block_of(problem.instance.weights, block) != block_of(witness, block))
      return std::string(block_word(block));
  return "";
}

NonGlobalResult certify_non_global(const LandscapeProblem& problem, const PointBox& box,
                                   const KernelWeights<Rational>& witness) {
  require_fits(problem, box);
  NonGlobalResult r;
  r.witness = witness;
  r.verdict.bits = working_precision();
  const std::string differs = differing_untrained_block(problem, witness);
  if (!differs.empty()) {
    r.verdict.kind = VerdictKind::not_applicable;
    r.verdict.reason = "the witness differs in " + differs + ", which is not trained";
    return r;
  }
  const LandscapeModel landscape(problem);
  r.loss = landscape.at(enclose_box(box)).loss();
  r.witness_loss = landscape.at(flatten(witness, problem.trained)).loss();
  r.gap = (r.loss - r.witness_loss).lower();
  if (certainly(less(r.witness_loss, r.loss))) {
    r.verdict.kind = VerdictKind::proved;
  } else {
    r.verdict.kind = VerdictKind::undecided;
    r.verdict.reason = "the loss of the witness is not proved to lie below the loss of the box";
  }
  return r;
}

NonGlobalResult certify_non_global(const LandscapeProblem& problem,
                                   const std::vector<Rational>& point,
                                   const KernelWeights<Rational>& witness) {
  return certify_non_global(problem, PointBox{point, Rational(0), {}}, witness);
}

}  // namespace heed
