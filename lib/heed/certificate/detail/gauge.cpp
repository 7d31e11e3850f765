// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/gauge.hpp"

#include <stdexcept>

#include "heed/certificate/detail/landscape_fields.hpp"
#include "heed/landscape/detail/transversal.hpp"

namespace heed::detail {
namespace {

using Json = nlohmann::ordered_json;

Json entry(const FlatName& direction) {
  switch (direction.kind) {
    case FlatName::Kind::shift:
      return {{"shift", numbers(direction.numbers)}};
    case FlatName::Kind::mix:
      return {{"mix", numbers(direction.numbers)}, {"head", direction.head}};
    case FlatName::Kind::unseen:
      return {{"unseen", numbers(direction.numbers)},
              {"block", block_word(direction.block)},
              {"head", direction.head},
              {"pivots", direction.pivots},
              {"free", direction.free}};
    case FlatName::Kind::turn:
      break;
  }
  Json turn = {{"turn", numbers(direction.numbers)}};
  if (!direction.E.empty()) turn["E"] = numbers(direction.E);
  turn["head"] = direction.head;
  return turn;
}

}  // namespace

Json gauge_field(const LandscapeProblem& problem, const PointBox& box) {
  for (const FlatScope scope : {FlatScope::nearby, FlatScope::at_the_point}) {
    const Transversal transversal = prove_transversal(problem, box, scope);
    if (transversal.verdict.kind != VerdictKind::proved) continue;
    Json list = Json::array();
    for (const FlatName& direction : transversal.directions) list.push_back(entry(direction));
    return list;
  }
  throw std::invalid_argument(
      "certificate: the frozen coordinates are not proved transversal to the flat directions");
}

}  // namespace heed::detail
