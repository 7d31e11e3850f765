// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_rank.hpp"

#include "checks/support/compare.hpp"
#include "checks/support/kernel_claims.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"

namespace heed::checks {
namespace {

const KernelClaimFamily family{&kernel_rank_claims<Ball>, &kernel_rank_claims<DoubleBall>,
                               &kernel_rank_claim_infos};

void rungs(const KernelInstance& k, Tally& tally) { check_kernel_family(family, k, tally); }

void identities(const KernelInstance& k, Tally& tally) {
  const auto facts = kernel_facts(k);
  check_consistent(check_kernel_rank_identities(KernelAnalysis<DoubleBall>(facts)), tally);
  check_consistent(check_kernel_rank_identities(KernelAnalysis<Ball>(facts)), tally);
}

// No Gram matrix has more positive eigenvalues than the exact bound of its rank.
void exact_bounds(const KernelInstance& k, Tally& tally) {
  const PrecisionScope scope(512);
  const KernelAnalysis<Ball> a(kernel_facts(k));
  const auto check = [&](KernelBlocks blocks) {
    const std::size_t bound = a.facts().rank_bound(blocks);
    std::size_t positive_ones = 0;
    for (const Ball& x : symmetric_eigenvalues(a.gram(blocks)))
      positive_ones += certainly(positive(x)) ? 1 : 0;
    require(positive_ones <= bound, blocks.to_string() + ": rank at least " +
                                        std::to_string(positive_ones) + ", bound " +
                                        std::to_string(bound));
    ++tally[blocks.to_string() + (positive_ones == bound ? " bound attained" : " bound above")];
  };
  for (const KernelBlock block : kernel_blocks) check(block);
  check(KernelBlocks::all());
}

}  // namespace

std::vector<Property> kernel_rank_properties() {
  return {kernel_property("kernel_rank.rungs", "counts of ranks and singular values", 200, rungs),
          kernel_property("kernel_rank.identities",
                          "softmax from gaussian attention, shared columns", 300, identities),
          kernel_property("kernel_rank.bounds", "exact bounds of ranks against spectra", 300,
                          exact_bounds)};
}

}  // namespace heed::checks
