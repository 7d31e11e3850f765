// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_loss.hpp"

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/query_claims.hpp"
#include "checks/support/query_plain.hpp"

namespace heed::checks {
namespace {

const QueryClaimFamily family{&attsvm_loss_claims<Ball>, &attsvm_loss_claims<DoubleBall>,
                              &attsvm_loss_claim_infos};

// The items of a rung against plain values per input; inputs of one token have none.
void sides(const std::vector<RungValues<Ball>>& rungs, const std::string& id,
           const std::string& rung, const QueryInstance& q, const std::vector<Ball>& lhs,
           const std::vector<Ball>& rhs) {
  const RungValues<Ball>& r = *find_rung(rungs, id, rung);
  if (!r.not_applicable.empty()) return;
  std::size_t k = 0;
  for (std::size_t i = 0; i < q.inputs(); ++i) {
    if (q.X[i].rows() < 2) continue;
    require_overlap(id + " " + rung + " lhs", r.items.at(k).lhs, lhs[i]);
    require_overlap(id + " " + rung + " rhs", r.items.at(k).rhs, rhs[i]);
    ++k;
  }
  require(k == r.items.size(), id + " " + rung + ": number of items");
}

std::vector<Ball> product(const std::vector<Ball>& a, const std::vector<Ball>& b) {
  std::vector<Ball> c;
  for (std::size_t i = 0; i < a.size(); ++i) c.push_back(a[i] * b[i]);
  return c;
}

void against_textbook(const QueryInstance& q, Tally& tally) {
  if (!QueryTextbook::feasible(q)) {
    ++tally["logits or margins too large for the textbook forms"];
    return;
  }
  const auto facts = query_facts(q, false);
  const auto at = std::make_shared<const QueryPointFacts>(*facts, q.points.front());
  const auto rungs = attsvm_loss_claims<Ball>(QueryAnalysis<Ball>(facts, at), every_rung);
  const PrecisionScope scope(QueryTextbook::bits_for(q));
  const QueryPlain p(q);
  const std::string id = "attsvm.excess_bounds";
  sides(rungs, id, "slope_lower", q, product(p.c1, p.drop), p.excess);
  sides(rungs, id, "slope_upper", q, p.excess, product(p.slope, p.drop));
  sides(rungs, id, "gap_lower", q, product(p.delta, p.q), p.drop);
  sides(rungs, id, "gap_upper", q, p.drop, product(p.range, p.q));
  const Ball n(static_cast<int>(q.inputs()));
  Ball kappa;
  std::vector<Ball> selection;
  for (std::size_t i = 0; i < q.inputs(); ++i) {
    selection.push_back(n * p.mean_excess / (p.c1[i] * p.delta[i]));
    if (q.X[i].rows() > 1) kappa = max(kappa, p.M1[i] * p.range[i] / (p.c1[i] * p.delta[i]));
  }
  sides(rungs, id, "selection", q, p.q, selection);
  const RungValues<Ball>& gradient = *find_rung(rungs, "attsvm.self_bounded", "gradient");
  if (gradient.not_applicable.empty()) {
    const Ball A = sqrt(Ball(facts->optimal().largest_A2()));
    require_overlap("||grad L||", gradient.items.front().lhs, p.gradient_norm);
    require_overlap("A kappa_g E", gradient.items.front().rhs, A * kappa * p.mean_excess);
    ++tally["self_bounded compared"];
  }
  ++tally["compared"];
}

}  // namespace

std::vector<Property> attsvm_loss_properties() {
  return {
      query_property(
          "attsvm_loss.rungs", "no claim about loss and attention is refuted, in doubles and balls",
          100, [](const QueryInstance& q, Tally& t) { check_query_family(family, q, t); },
          draw_linear_query_instance),
      query_property("attsvm_loss.heads", "the same for other heads, where few claims apply", 50,
                     [](const QueryInstance& q, Tally& t) { check_query_family(family, q, t); }),
      query_property("attsvm_loss.textbook", "both sides enclose those of plain formulas", 300,
                     against_textbook, draw_linear_query_instance)};
}

}  // namespace heed::checks
