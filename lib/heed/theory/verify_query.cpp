// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/verify_query.hpp"

#include <stdexcept>
#include <utility>

#include "heed/theory/attsvm_factors.hpp"
#include "heed/theory/attsvm_landscape.hpp"
#include "heed/theory/attsvm_loss.hpp"
#include "heed/theory/attsvm_margin.hpp"

namespace heed {
namespace {

template <class S>
std::vector<RungValues<Ball>> evaluate_claims(const QueryAnalysis<S>& a, const Wanted& wanted) {
  using Family = std::vector<RungValues<S>> (*)(const QueryAnalysis<S>&, const Wanted&);
  const Family families[] = {&attsvm_margin_claims<S>, &attsvm_loss_claims<S>,
                             &attsvm_landscape_claims<S>, &attsvm_factors_claims<S>};
  std::vector<RungValues<Ball>> all;
  for (const Family family : families)
    for (RungValues<S>& r : family(a, wanted))
      if (wanted(r.id, r.rung)) all.push_back(in_balls(std::move(r)));
  return all;
}

std::optional<MarginBracket> nuclear_margin(const QueryInstance& instance, const Budget& budget) {
  NuclearMargin margin = nuclear_bracket(margin_problem(instance), budget.digits);
  if (auto* bracket = std::get_if<MarginBracket>(&margin.result)) return std::move(*bracket);
  return std::nullopt;
}

}  // namespace

QueryVerifyReport verify(const QueryInstance& instance, std::size_t point, const Budget& budget) {
  if (!instance.points.empty() && point >= instance.points.size())
    throw std::invalid_argument("verify: expected a point of the instance");
  QueryVerifyReport report;
  report.facts = std::make_shared<const QueryFacts>(instance, nuclear_margin(instance, budget));
  std::shared_ptr<const QueryPointFacts> at;
  if (!instance.points.empty())
    at = std::make_shared<const QueryPointFacts>(*report.facts, instance.points[point]);
  Decisions decisions(budget);
  const auto step = [&](const auto& analysis, bool first_tier) {
    decisions.update(evaluate_claims(analysis, decisions.wanted()), {first_tier, false});
    report.bits = working_precision();
    report.identities = check_query_identities(analysis);
    if (analysis.linear_loss().is_proved()) report.loss = to_ball(analysis.model().loss());
    return decisions.all_settled() && (!report.loss || has_digits(*report.loss, budget));
  };
  report.budget_ended = !escalate(
      budget, [&] { return step(QueryAnalysis<DoubleBall>(report.facts, at), true); },
      [&] { return step(QueryAnalysis<Ball>(report.facts, at), false); });
  report.claims = decisions.results();
  return report;
}

}  // namespace heed
