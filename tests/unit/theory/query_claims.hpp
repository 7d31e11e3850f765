// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/numeric/verdict.hpp"
#include "heed/theory/attsvm_factors.hpp"
#include "heed/theory/attsvm_landscape.hpp"
#include "heed/theory/attsvm_loss.hpp"
#include "heed/theory/attsvm_margin.hpp"

namespace heed::test {

/// The word and the sides of one rung after escalation, in the order of the tool: DoubleBall, then
/// balls of 128, 256 ... bits.
struct QueryOutcome {
  std::string id, rung;
  VerdictKind kind = VerdictKind::undecided;
  std::string reason;       ///< of not_applicable
  int bits = 0;             ///< 53: decided in double
  double lhs = 0, rhs = 0;  ///< of the tightest item
  double tightness = 0;     ///< lhs / rhs of the tightest item, 0 / 0 counts as 0
  int equal_digits = 0;     ///< undecided: to which the sides agree
  std::vector<Hypothesis> hypotheses;
};

inline bool all_rungs(const std::string&, const std::string&) { return true; }

template <class S>
std::vector<RungValues<S>> all_query_claims(const QueryAnalysis<S>& a) {
  std::vector<RungValues<S>> all;
  for (auto* family : {&attsvm_margin_claims<S>, &attsvm_loss_claims<S>,
                       &attsvm_landscape_claims<S>, &attsvm_factors_claims<S>})
    for (RungValues<S>& r : family(a, all_rungs)) all.push_back(std::move(r));
  return all;
}

std::vector<QueryOutcome> query_outcomes(const std::shared_ptr<const QueryFacts>& facts,
                                         const QueryPoint* point, int most_bits = 1024);

const QueryOutcome& outcome(const std::vector<QueryOutcome>& all, const std::string& id,
                            const std::string& rung);

QueryInstance query_instance(const std::string& file);  ///< of the reference files
Matrix<Rational> rational_matrix(const std::vector<std::vector<std::string>>& rows);

/// D1, D2 and D3 of the sheet. D2: the data of fixture 15.
QueryInstance instance_d1();
QueryInstance instance_d3();

QueryPoint query_point(QueryLoss loss, const Matrix<Rational>& W);

}  // namespace heed::test
