// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_factors.hpp"

#include "checks/support/compare.hpp"
#include "checks/support/query_claims.hpp"
#include "heed/linalg/product.hpp"

namespace heed::checks {
namespace {

const QueryClaimFamily family{&attsvm_factors_claims<Ball>, &attsvm_factors_claims<DoubleBall>,
                              &attsvm_factors_claim_infos};

// The instance with factors: its own, or W = W I^T.
QueryInstance with_factors(QueryInstance q) {
  QueryWeights& w = q.points.front().weights;
  if (!w.K) {
    Matrix<Rational> unit(w.W.rows(), w.W.rows());
    for (std::size_t r = 0; r < unit.rows(); ++r) unit(r, r) = Rational(1);
    w.K = w.W;
    w.Q = unit;
  }
  return q;
}

void rungs(const QueryInstance& q, Tally& tally) {
  check_query_family(family, q, tally);
  const QueryInstance factored = with_factors(q);
  check_query_family(family, factored, tally);
  for (const std::size_t k : {0, 1}) {
    // K = Q is balanced: equality, which enclosures cannot decide.
    QueryInstance balanced = factored;
    QueryWeights& w = balanced.points.front().weights;
    (k == 0 ? w.K : w.Q) = k == 0 ? w.Q : w.K;
    w.W = multiply_transposed(*w.K, *w.Q);
    const auto facts = query_facts(balanced, false);
    const auto at = std::make_shared<const QueryPointFacts>(*facts, balanced.points.front());
    const auto all = attsvm_factors_claims<Ball>(QueryAnalysis<Ball>(facts, at),
                                                 [](const auto&, const auto&) { return true; });
    require(all.front().items.front().exact, "balanced factors: equality is not recognised");
    require_overlap("balanced factors", all.front().items.front().lhs,
                    all.front().items.front().rhs);
  }
}

template <class S>
void identities_at(const std::shared_ptr<const QueryFacts>& facts, const QueryPoint& point,
                   Tally& tally) {
  const auto at = std::make_shared<const QueryPointFacts>(*facts, point);
  for (const IdentityResult& r : check_query_identities(QueryAnalysis<S>(facts, at))) {
    ++tally[r.id + " " + r.status];
    require(r.status != "inconsistent", r.id + ": inconsistent by " + text(r.deviation));
  }
}

void identities(const QueryInstance& q, Tally& tally) {
  const QueryInstance factored = with_factors(q);
  const auto facts = query_facts(factored, false);
  identities_at<DoubleBall>(facts, factored.points.front(), tally);
  identities_at<Ball>(facts, factored.points.front(), tally);
}

}  // namespace

std::vector<Property> attsvm_factors_properties() {
  return {query_property("attsvm_factors.rungs",
                         "weight decay on factors is never below the nuclear norm", 200, rungs),
          query_property("attsvm_factors.identities",
                         "balance of a step on factors, slope along W_mm by two routes", 300,
                         identities, draw_linear_query_instance)};
}

}  // namespace heed::checks
