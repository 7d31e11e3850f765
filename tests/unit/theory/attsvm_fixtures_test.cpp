// SPDX-License-Identifier: Apache-2.0
// All claims of query attention on the reference files, at every point of each.
#include <catch2/catch.hpp>
#include <map>
#include <set>

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

// The bracket of the norms that the files give to 50 digits, or exactly.
std::optional<MarginBracket> known_bracket(const std::string& file) {
  if (file != "08_nuclear_not_unique") return {};
  MarginBracket b;
  b.lambda = {Rational(1), Rational(1)};
  b.B = b.C = rational_matrix({{"1"}, {"1"}});
  b.lo = b.hi = Rational(2);
  return b;
}

}  // namespace

TEST_CASE("no claim is refuted on a reference file, and almost none is left open") {
  std::map<std::string, int> counts;
  std::set<std::string> proved;
  for (const char* file : files) {
    const QueryInstance q = query_instance(file);
    const auto facts = std::make_shared<const QueryFacts>(q, known_bracket(file));
    std::vector<const QueryPoint*> points{nullptr};
    for (const QueryPoint& p : q.points) points.push_back(&p);
    for (const QueryPoint* p : points) {
      INFO(file << ", point " << (p ? p - q.points.data() : -1));
      for (const QueryOutcome& o : query_outcomes(facts, p)) {
        INFO(o.id << " " << o.rung << ": " << o.lhs << " <= " << o.rhs << " at " << o.bits);
        CHECK(o.kind != VerdictKind::refuted);
        if (o.kind == VerdictKind::undecided) CHECK(o.equal_digits >= 60);
        if (o.kind == VerdictKind::proved) proved.insert(o.id + " " + o.rung);
        ++counts[to_string(o.kind)];
      }
    }
  }
  for (const auto& [word, count] : counts) WARN(word << " " << count);
  std::string never;
  for (const auto& infos : {attsvm_margin_claim_infos(), attsvm_loss_claim_infos(),
                            attsvm_landscape_claim_infos(), attsvm_factors_claim_infos()})
    for (const ClaimInfo& info : infos)
      for (const RungInfo& rung : info.rungs)
        if (proved.count(info.id + " " + rung.name) == 0) never += info.id + " " + rung.name + "; ";
  CHECK(never == "");
}
