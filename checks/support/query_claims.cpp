// SPDX-License-Identifier: Apache-2.0
#include "checks/support/query_claims.hpp"

#include "checks/support/claims.hpp"
#include "checks/support/rung_checks.hpp"
#include "heed/margin/nuclear_bracket.hpp"

namespace heed::checks {
namespace {

void check_at(const QueryClaimFamily& family, const std::shared_ptr<const QueryFacts>& facts,
              const QueryPoint* point, Tally& tally) {
  const auto at = point ? std::make_shared<const QueryPointFacts>(*facts, *point) : nullptr;
  check_rungs(
      family.infos(),
      [&] { return family.doubles(QueryAnalysis<DoubleBall>(facts, at), every_rung); },
      [&] { return family.balls(QueryAnalysis<Ball>(facts, at), every_rung); }, tally);
}

}  // namespace

std::shared_ptr<const QueryFacts> query_facts(const QueryInstance& instance, bool nuclear) {
  std::optional<MarginBracket> bracket;
  if (nuclear) {
    const NuclearMargin margin = nuclear_bracket(margin_problem(instance), 7);
    if (const auto* found = std::get_if<MarginBracket>(&margin.result)) bracket = *found;
  }
  return std::make_shared<const QueryFacts>(instance, std::move(bracket));
}

std::vector<QueryPoint> query_points(const QueryInstance& q, const QueryFacts& facts) {
  std::vector<QueryPoint> points{q.points.front()};
  const SelectionFacts& f = facts.unique_optima.is_proved() && facts.optimal().feasible.is_proved()
                                ? facts.optimal()
                                : facts.selected();
  if (!f.feasible.is_proved()) return points;
  const Rational gap = largest_logit_gap(q, q.points.front().weights.W);
  const Rational aside = gap.sign() == 0 ? Rational() : Rational(1) / gap;
  for (const Rational& along : {Rational(1), Rational(30), Rational(-3)})
    for (const Rational& across : {Rational(), aside}) {
      QueryPoint p = q.points.front();
      p.weights.K.reset();
      p.weights.Q.reset();
      for (std::size_t k = 0; k < p.weights.W.size(); ++k)
        p.weights.W.data()[k] = across * p.weights.W.data()[k] + along * f.W.data()[k];
      points.push_back(std::move(p));
    }
  return points;
}

void check_query_family(const QueryClaimFamily& family, const QueryInstance& q, Tally& tally) {
  const auto facts = query_facts(q, family.nuclear);
  check_at(family, facts, nullptr, tally);
  for (const QueryPoint& p : query_points(q, *facts)) check_at(family, facts, &p, tally);
}

}  // namespace heed::checks
