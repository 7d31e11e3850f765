// SPDX-License-Identifier: Apache-2.0
// All claims of query attention on the reference files, at every point of each.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>

#include "heed/margin/nuclear_bracket.hpp"
#include "unit/theory/query_claims.hpp"

using namespace heed;
using namespace heed::test;

namespace {

const char* const files[] = {"01_closed_T2_n1",
                             "02_infeasible_hull",
                             "03_infeasible_queries",
                             "04_duplicate_constraints",
                             "05_d1",
                             "06_tiny_margin_1e-8",
                             "07_norms_differ",
                             "08_nuclear_not_unique",
                             "09_cross_n3T4d4",
                             "10_self_n2T3d3",
                             "11_all_support_n2T3d5",
                             "12_equal_scores_lambda_head",
                             "13_relu_head",
                             "14_causal_ragged",
                             "15_counterexample_global"};

std::optional<MarginBracket> bracket(const QueryInstance& q) {
  const NuclearMargin margin = nuclear_bracket(margin_problem(q), 9);
  const auto* found = std::get_if<MarginBracket>(&margin.result);
  return found ? std::optional<MarginBracket>(*found) : std::nullopt;
}

// The points of the file, and W = c W_mm as a product of factors, c = 1 and 200.
std::vector<QueryPoint> points_of(const QueryInstance& q, const QueryFacts& facts) {
  std::vector<QueryPoint> points = q.points;
  const SelectionFacts& f = facts.selected();
  if (!f.feasible.is_proved()) return points;
  for (const QueryLoss loss : {QueryLoss::logistic, QueryLoss::exponential, QueryLoss::correlation})
    for (const int c : {1, 200}) {
      QueryPoint p =
          query_point(loss, map(f.W, [&](const Rational& x) { return Rational(c) * x; }));
      Matrix<Rational> unit(q.dim(), q.dim());
      for (std::size_t r = 0; r < q.dim(); ++r) unit(r, r) = Rational(1);
      p.weights.K = p.weights.W;
      p.weights.Q = unit;
      points.push_back(p);
    }
  return points;
}

}  // namespace

TEST_CASE("no claim is refuted on a reference file, and almost none is left open") {
  std::map<std::string, int> counts;
  std::set<std::string> proved;
  for (const char* file : files) {
    const QueryInstance q = query_instance(file);
    const auto facts = std::make_shared<const QueryFacts>(q, bracket(q));
    const std::vector<QueryPoint> all = points_of(q, *facts);
    std::vector<const QueryPoint*> points{nullptr};
    for (const QueryPoint& p : all) points.push_back(&p);
    for (const QueryPoint* p : points) {
      INFO(file << ", point " << (p ? p - all.data() : -1));
      for (const QueryOutcome& o : query_outcomes(facts, p)) {
        INFO(o.id << " " << o.rung << ": " << o.lhs << " <= " << o.rhs << " at " << o.bits);
        CHECK(o.kind != VerdictKind::refuted);
        // Both sides may be 0, which agrees to no digit.
        if (o.kind == VerdictKind::undecided && o.lhs > 1e-60) CHECK(o.equal_digits >= 60);
        if (o.kind == VerdictKind::proved) proved.insert(o.id + " " + o.rung);
        ++counts[to_string(o.kind)];
      }
    }
  }
  CHECK(counts["proved"] > 3000);
  CHECK(counts["undecided"] < counts["proved"] / 20);
  std::string never;
  for (const auto& infos : {attsvm_margin_claim_infos(), attsvm_loss_claim_infos(),
                            attsvm_landscape_claim_infos(), attsvm_factors_claim_infos()})
    for (const ClaimInfo& info : infos)
      for (const RungInfo& rung : info.rungs)
        if (proved.count(info.id + " " + rung.name) == 0) never += info.id + " " + rung.name + "; ";
  CHECK(never == "");
}
