// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/ntk.hpp"

#include <utility>

#include "heed/attention/mha_reduced.hpp"

namespace heed {

NtkEnclosure enclose_ntk_margin(const MhaInstance& instance, const Budget& budget) {
  NtkEnclosure result;
  const auto settled = [&] {
    result.bits = working_precision();
    return has_digits(result.margin.bounds.gamma(), budget);
  };
  {
    const PrecisionScope scope(first_precision(budget));
    if (std::optional<NtkMargin> exact = exact_ntk_margin(instance)) {
      result.margin = *std::move(exact);
      result.budget_ended = !settled();
      return result;
    }
  }
  const auto step = [&]<class S>(const S&) {
    const MhaModel<S> model(mha_reduced_for<S>(instance).inputs);
    result.margin.bounds = ntk_margin(model);
    return settled();
  };
  result.budget_ended = !escalate(
      budget, [&] { return step(DoubleBall()); }, [&] { return step(Ball()); });
  return result;
}

}  // namespace heed
