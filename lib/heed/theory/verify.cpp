// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/verify.hpp"

#include <algorithm>

#include "heed/theory/dm1.hpp"
#include "heed/theory/loss.hpp"
#include "heed/theory/mha_grad.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/theory/moment.hpp"
#include "heed/theory/ntk.hpp"

namespace heed {
namespace {

template <class S>
std::vector<RungValues<Ball>> evaluate_claims(const MhaInstance& instance, const MhaAnalysis<S>& a,
                                              const Wanted& wanted) {
  using Family = std::vector<RungValues<S>> (*)(const MhaAnalysis<S>&, const Wanted&);
  const Family families[] = {&loss_claims<S>, &moment_claims<S>, &mha_grad_claims<S>,
                             &mha_hessian_claims<S>, &ntk_claims<S>};
  std::vector<RungValues<Ball>> all;
  const auto add = [&](std::vector<RungValues<S>> rungs) {
    for (RungValues<S>& r : rungs)
      if (wanted(r.id, r.rung)) all.push_back(in_balls(std::move(r)));
  };
  for (const Family family : families) add(family(a, wanted));
  add(dm1_claims<S>(instance, a, wanted));
  return all;
}

std::vector<RungValues<Ball>> evaluate_claims(const LossValues<Ball>& values,
                                              const Wanted& wanted) {
  std::vector<RungValues<Ball>> all;
  for (RungValues<Ball>& r : loss_claims(values, wanted))
    if (wanted(r.id, r.rung)) all.push_back(std::move(r));
  return all;
}

template <class S>
InstanceQuantities quantities_of(const MhaAnalysis<S>& a) {
  const WeightNorms<S>& w = a.norms();
  InstanceQuantities q{to_ball(a.loss()),
                       to_ball(a.mean_slope()),
                       to_ball(a.sqrt_heads()),
                       {to_ball(w.R), to_ball(w.M_U), to_ball(w.mean_U2), to_ball(w.theta_2inf)},
                       {},
                       a.reduction_note()};
  for (std::size_t i = 0; i < a.samples(); ++i) {
    const TokenGeometry<S>& g = a.geometry(i);
    q.geometry.push_back({to_ball(g.r), to_ball(g.sigma), to_ball(g.D)});
  }
  return q;
}

// Nothing was left open but for identities that do not concern the instance.
bool all_known(const std::vector<IdentityResult>& identities) {
  return std::all_of(identities.begin(), identities.end(), [](const IdentityResult& i) {
    return i.status != "not_applicable" || i.comparisons == 0;
  });
}

}  // namespace

InstanceQuantities quantities(const VerifyReport& report) {
  return report.analysis ? quantities_of(*report.analysis) : quantities_of(*report.double_analysis);
}

VerifyReport verify(const MhaInstance& instance, const Budget& budget) {
  VerifyReport report;
  Decisions decisions(budget);
  bool lean = false, numbers_known = false;
  const auto update = [&](const auto& rungs, bool first_tier) {
    decisions.update(rungs, {first_tier, lean});
    report.bits = working_precision();
    return decisions.all_settled();
  };
  const auto in_double = [&] {
    lean = state_form_for(instance) == StateForm::lean;
    report.double_analysis = std::make_unique<MhaAnalysis<DoubleBall>>(
        instance, lean ? StateForm::lean : StateForm::kept);
    const MhaAnalysis<DoubleBall>& a = *report.double_analysis;
    const auto known = [&](const DoubleBall& x) { return has_digits(to_ball(x), budget); };
    numbers_known = known(a.loss()) && known(a.mean_slope());
    const bool settled =
        update(evaluate_claims(instance, a, decisions.wanted()), true) && numbers_known;
    if (!settled && !lean) return false;
    report.identities = check_identities(instance, a);
    if (!all_known(report.identities)) report.identities.clear();
    return settled && !report.identities.empty();
  };
  const auto in_balls = [&] {
    // Claims about the loss need values of Phi only, and the quantities of a report are known then.
    const bool values_only =
        lean && numbers_known && !report.analysis && !report.identities.empty() &&
        decisions.all_settled([](const std::string& id) { return id.rfind("loss.", 0) == 0; });
    if (values_only)
      return update(evaluate_claims(loss_values(instance), decisions.wanted()), false);
    report.double_analysis.reset();
    auto analysis = std::make_unique<MhaAnalysis<Ball>>(instance);
    const bool settled = update(evaluate_claims(instance, *analysis, decisions.wanted()), false);
    if (report.identities.empty()) report.identities = check_identities(instance, *analysis);
    report.analysis = std::move(analysis);
    return settled;
  };
  report.budget_ended = !escalate(budget, in_double, in_balls);
  report.claims = decisions.results();
  return report;
}

}  // namespace heed
