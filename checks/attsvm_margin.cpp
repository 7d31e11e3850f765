// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_margin.hpp"

#include "checks/support/query_claims.hpp"

namespace heed::checks {
namespace {

const QueryClaimFamily family{&attsvm_margin_claims<Ball>, &attsvm_margin_claims<DoubleBall>,
                              &attsvm_margin_claim_infos, true};

}  // namespace

std::vector<Property> attsvm_margin_properties() {
  return {query_property(
      "attsvm_margin.rungs", "no claim about margins is refuted, in doubles, balls and exactly",
      100, [](const QueryInstance& q, Tally& t) { check_query_family(family, q, t); })};
}

}  // namespace heed::checks
