// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_landscape.hpp"

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/query_claims.hpp"
#include "checks/support/query_plain.hpp"

namespace heed::checks {
namespace {

const QueryClaimFamily family{&attsvm_landscape_claims<Ball>, &attsvm_landscape_claims<DoubleBall>,
                              &attsvm_landscape_claim_infos};

void single_sides(const std::vector<RungValues<Ball>>& rungs, const std::string& id,
                  const std::string& rung, const Ball& lhs, const Ball& rhs, Tally& tally) {
  const RungValues<Ball>& r = *find_rung(rungs, id, rung);
  if (!r.not_applicable.empty()) return;
  require_overlap(id + " " + rung + " lhs", r.items.at(0).lhs, lhs);
  require_overlap(id + " " + rung + " rhs", r.items.at(0).rhs, rhs);
  ++tally["compared " + rung];
}

// Every quantity from the textbook gradient, contracted with W_mm, and from plain formulas.
void against_textbook(const QueryInstance& q, Tally& tally) {
  const auto facts = query_facts(q, false);
  if (!facts->unique_optima.is_proved() || !facts->optimal().feasible.is_proved()) {
    ++tally["no optimal tokens, or infeasible ones"];
    return;
  }
  for (const QueryPoint& point : query_points(q, *facts)) {
    QueryInstance at_point = q;
    at_point.points = {point};
    if (!QueryTextbook::feasible(at_point)) continue;
    const auto at = std::make_shared<const QueryPointFacts>(*facts, point);
    const auto rungs = attsvm_landscape_claims<Ball>(QueryAnalysis<Ball>(facts, at), every_rung);
    const PrecisionScope scope(QueryTextbook::bits_for(at_point));
    const QueryPlain p(at_point);
    const SelectionFacts& f = facts->optimal();
    Ball slope, probability, gap, mean_drop, theta(2), own(2), aligned(2);
    const Ball gamma = Ball(1) / sqrt(Ball(f.norm2)), n(static_cast<int>(q.inputs()));
    for (std::size_t k = 0; k < f.W.size(); ++k)
      slope -= p.gradient.data()[k] * Ball(f.W.data()[k]);
    for (std::size_t i = 0; i < q.inputs(); ++i) {
      if (q.X[i].rows() < 2) continue;
      probability += p.slope[i] * p.own[i] * p.q[i] * p.delta[i] / n;
      gap += p.slope[i] * p.own[i] * p.drop[i] / n;
      mean_drop += p.slope[i] * p.drop[i] / n;
      Ball B;
      for (std::size_t t = 0; t < q.X[i].rows(); ++t)
        for (std::size_t u = 0; u < q.X[i].rows(); ++u)
          if (t != p.opt[i] && u != p.opt[i]) B = max(B, Ball(f.logits[i][t] - f.logits[i][u]));
      theta =
          min(theta, p.own[i] - p.q[i] * B * (p.range[i] - p.delta[i]) / (Ball(4) * p.delta[i]));
      own = min(own, p.own[i]);
      aligned = min(aligned, p.own[i] * p.delta[i] / p.range[i]);
    }
    const Ball ratio = gamma / sqrt(Ball(f.largest_A2())), along = slope * gamma;
    std::string id = "attsvm.no_stationary_points";
    single_sides(rungs, id, "probability", probability, slope, tally);
    single_sides(rungs, id, "gap", gap, slope, tally);
    id = "attsvm.gradient_alignment";
    single_sides(rungs, id, "equal_scores", ratio, along / p.gradient_norm, tally);
    single_sides(rungs, id, "comonotone", ratio * aligned, along / p.gradient_norm, tally);
    id = "attsvm.gradient_domination";
    single_sides(rungs, id, "signed", gamma * theta * mean_drop, along, tally);
    single_sides(rungs, id, "excess", gamma * theta * p.mean_excess, along, tally);
    single_sides(rungs, id, "norm", gamma * max(theta, Ball(0)) * p.mean_excess, p.gradient_norm,
                 tally);
    single_sides(rungs, id, "comonotone", gamma * own * p.mean_excess, along, tally);
  }
}

}  // namespace

std::vector<Property> attsvm_landscape_properties() {
  return {query_property(
              "attsvm_landscape.rungs",
              "no claim about the landscape is refuted, in doubles, balls and exactly", 100,
              [](const QueryInstance& q, Tally& t) { check_query_family(family, q, t); },
              draw_linear_query_instance),
          query_property("attsvm_landscape.textbook",
                         "both sides enclose those of plain formulas and the textbook gradient",
                         200, against_textbook, draw_linear_query_instance)};
}

}  // namespace heed::checks
