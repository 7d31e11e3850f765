// SPDX-License-Identifier: Apache-2.0
#include "checks/support/query_claims.hpp"

#include <set>

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "heed/margin/nuclear_bracket.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/decision.hpp"

namespace heed::checks {
namespace {

using Rungs = std::vector<RungValues<Ball>>;

std::string name(const RungValues<Ball>& r) { return r.id + " " + r.rung; }

Rungs in_balls(std::vector<RungValues<DoubleBall>> all) {
  Rungs balls;
  for (RungValues<DoubleBall>& r : all) balls.push_back(heed::in_balls(std::move(r)));
  return balls;
}

void check_index(const QueryClaimFamily& family, const Rungs& rungs) {
  std::set<std::string> expected, found;
  for (const ClaimInfo& info : family.infos())
    for (const RungInfo& rung : info.rungs) expected.insert(info.id + " " + rung.name);
  for (const RungValues<Ball>& r : rungs) {
    require(found.insert(name(r)).second, name(r) + ": evaluated twice");
    require(r.items.empty() == !r.not_applicable.empty(),
            name(r) + ": either items or a reason for having none");
    for (const Hypothesis& h : r.hypotheses)
      require(h.status == "proved" || !r.not_applicable.empty(),
              name(r) + ": evaluated although not proved: " + h.text);
  }
  require(expected == found, "the rungs are not those of the index");
}

void check_not_refuted(const Rungs& rungs, const std::string& tier, Tally& tally) {
  for (const RungValues<Ball>& r : rungs) {
    if (!r.not_applicable.empty()) ++tally[name(r) + ": not applicable"];
    bool proved = !r.items.empty(), equal = true;
    for (const Item<Ball>& i : r.items) {
      const Verdict v = compare(i.lhs, i.rhs);
      if (v.kind == VerdictKind::refuted)
        fail(name(r) + " " + i.where + " in " + tier + ": refuted, " + text(i.lhs) + " > " +
             text(i.rhs) + (i.exact ? ", though decided exactly" : ""));
      if (i.exact || v.kind == VerdictKind::proved) continue;
      proved = false;
      equal = equal && agreeing_digits(i.lhs, i.rhs, working_precision()) >= 60;
    }
    if (!r.items.empty())
      ++tally[name(r) + ": " + (proved ? "proved" : equal ? "equal" : "open") + " in " + tier];
  }
}

// A rung that stands at two precisions has the same items, with the same numbers.
void check_same_numbers(const Rungs& a, const Rungs& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    require(name(a[k]) == name(b[k]), name(a[k]) + ": order depends on precision");
    if (!a[k].not_applicable.empty() || !b[k].not_applicable.empty()) continue;
    for (const Item<Ball>& x : a[k].items)
      for (const Item<Ball>& y : b[k].items) {
        if (x.where != y.where) continue;
        require_overlap(name(a[k]) + " " + x.where + " lhs", x.lhs, y.lhs);
        require_overlap(name(a[k]) + " " + x.where + " rhs", x.rhs, y.rhs);
      }
  }
}

void check_at(const QueryClaimFamily& family, const std::shared_ptr<const QueryFacts>& facts,
              const QueryPoint* point, Tally& tally) {
  const auto at = point ? std::make_shared<const QueryPointFacts>(*facts, *point) : nullptr;
  const Rungs doubles = in_balls(family.doubles(QueryAnalysis<DoubleBall>(facts, at), every_rung)),
              coarse = family.balls(QueryAnalysis<Ball>(facts, at), every_rung);
  check_index(family, doubles);
  check_index(family, coarse);
  check_not_refuted(doubles, "doubles", tally);
  check_not_refuted(coarse, "128 bits", tally);
  check_same_numbers(doubles, coarse);
  const PrecisionScope scope(400);
  const Rungs fine = family.balls(QueryAnalysis<Ball>(facts, at), every_rung);
  check_not_refuted(fine, "400 bits", tally);
  check_same_numbers(doubles, fine);
  check_same_numbers(coarse, fine);
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
