// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/verify_kernel.hpp"

#include <algorithm>
#include <utility>

#include "heed/theory/kernel_convergence.hpp"
#include "heed/theory/kernel_pl.hpp"
#include "heed/theory/kernel_rank.hpp"
#include "heed/theory/kernel_smooth.hpp"

namespace heed {
namespace {

template <class S>
std::vector<RungValues<Ball>> evaluate_claims(const KernelAnalysis<S>& a, const Wanted& wanted) {
  using Family = std::vector<RungValues<S>> (*)(const KernelAnalysis<S>&, const Wanted&);
  const Family families[] = {&kernel_pl_claims<S>, &kernel_rank_claims<S>, &kernel_smooth_claims<S>,
                             &kernel_convergence_claims<S>};
  std::vector<RungValues<Ball>> all;
  for (const Family family : families)
    for (RungValues<S>& r : family(a, wanted))
      if (wanted(r.id, r.rung)) all.push_back(in_balls(std::move(r)));
  return all;
}

template <class S>
KernelQuantities quantities_of(const KernelAnalysis<S>& a) {
  KernelQuantities q;
  const S squared = a.gradient_squared(KernelBlocks::all());
  q.loss = to_ball(a.loss());
  q.gradient_norm = to_ball(sqrt_nonnegative(squared));
  q.not_stationary = certainly(positive(squared));
  std::vector<KernelBlocks> sets(std::begin(kernel_blocks), std::end(kernel_blocks));
  for (const KernelBlocks b : sets)
    q.gradient_squared[b.to_string()] = to_ball(a.gradient_squared(b));
  if (!a.small().is_proved()) return q;
  sets.push_back(KernelBlocks::all());
  for (const KernelBlocks b : sets) q.pl[b.to_string()] = {to_ball(a.mu(b)), to_ball(a.L(b))};
  return q;
}

// Digits of everything; of a least eigenvalue and of a gradient only where they are not 0 so far.
bool digits_known(const KernelQuantities& q, const Budget& budget) {
  const auto known = [&](const Ball& x) {
    return has_digits(x, budget) ||
           (working_precision() >= kernel_rank_bits && x.is_finite() && x.contains_zero());
  };
  return known(q.loss) && known(q.gradient_norm) &&
         std::all_of(q.gradient_squared.begin(), q.gradient_squared.end(),
                     [&](const auto& g) { return known(g.second); }) &&
         std::all_of(q.pl.begin(), q.pl.end(), [&](const auto& e) {
           return known(e.second.least) && known(e.second.largest);
         });
}

}  // namespace

KernelVerifyReport verify(const KernelInstance& instance, AttentionKernel kernel,
                          const Budget& budget) {
  KernelVerifyReport report;
  report.kernel = kernel;
  report.facts = std::make_shared<const KernelFacts>(instance, kernel);
  report.underflow = kernel_model<double>(instance, kernel).underflow();
  Decisions decisions(budget);
  std::vector<RungValues<Ball>> open;
  const auto step = [&](const auto& a, bool first_tier) {
    std::vector<RungValues<Ball>> values = evaluate_claims(a, decisions.wanted());
    const bool patient = working_precision() < kernel_rank_bits;
    const auto is_open = [&](const RungValues<Ball>& r) { return patient && !r.complete; };
    const auto split = std::stable_partition(values.begin(), values.end(),
                                             [&](const auto& r) { return !is_open(r); });
    open.assign(std::make_move_iterator(split), std::make_move_iterator(values.end()));
    values.erase(split, values.end());
    decisions.update(values, {first_tier, false});
    report.bits = working_precision();
    report.quantities = quantities_of(a);
    report.identities = check_kernel_pl_identities(a);
    for (IdentityResult& i : check_kernel_rank_identities(a))
      report.identities.push_back(std::move(i));
    return open.empty() && decisions.all_settled() && digits_known(report.quantities, budget);
  };
  report.budget_ended = !escalate(
      budget, [&] { return step(KernelAnalysis<DoubleBall>(report.facts), true); },
      [&] { return step(KernelAnalysis<Ball>(report.facts), false); });
  decisions.update(open, {false, false});
  report.claims = decisions.results();
  return report;
}

}  // namespace heed
