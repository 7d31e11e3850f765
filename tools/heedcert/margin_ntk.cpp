// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "heed/data/input_error.hpp"
#include "heed/numeric/format.hpp"
#include "heed/theory/ntk.hpp"
#include "margin_point.hpp"

namespace heedcert {

using heed::Ball;

MarginReport ntk_report(const heed::MhaInstance& instance, const CommonOptions& common) {
  if (!instance.weights)
    throw heed::InputError(
        "margin: missing U / W: the NTK margin of model mha is that of its gradients at the "
        "weights; "
        "add weights, or make them (heedcert convert --weights ...)");
  const heed::NtkEnclosure ntk = enclose_ntk_margin(instance, budget_for(common));
  const heed::KernelMargin& bounds = ntk.margin.bounds;
  const heed::PrecisionScope scope(std::max(ntk.bits, 128));
  MarginReport r;
  r.quantities["ntk_margin"] = to_json(bounds.gamma(), common.digits);
  if (ntk.margin.squared)
    r.quantities["ntk_margin_squared"] = {{"exact", ntk.margin.squared->to_string()}};
  r.quantities["bits"] = ntk.bits;
  r.quantities["support_vectors"] = bounds.support;
  r.lines.push_back("ntk_margin = " +
                    heed::certain_digits(bounds.gamma(), std::max(common.digits, 15)));
  const std::string samples = std::to_string(bounds.support.size()) + " of " +
                              std::to_string(instance.samples()) + " samples carry it";
  if (bounds.separable()) {
    r.quantities["separable"] = true;
    r.lines.push_back("separable: some direction of the weights raises every margin; " + samples);
  } else if (bounds.not_separable()) {
    r.quantities["separable"] = false;
    r.exit = Exit::refuted;
    r.status = "infeasible";
    r.lines.push_back("not separable: a convex combination of y_i grad Phi(X_i) is 0; " + samples);
  } else {
    r.quantities["separable"] = nullptr;
    r.lines.push_back("not decided whether the margin is 0");
  }
  if ((ntk.budget_ended || r.quantities["separable"].is_null()) && r.exit == Exit::ok) {
    r.exit = Exit::undecided;
    r.status = "undecided";
  }
  if (ntk.budget_ended)
    r.notes.push_back("the budget ended before " + std::to_string(common.digits) +
                      " digits were reached; raise --max-bits");
  r.lines.push_back("n = " + std::to_string(instance.samples()) +
                    ", P = " + std::to_string(instance.parameters()) + "; " +
                    std::to_string(ntk.bits) + " bits");
  return r;
}

}  // namespace heedcert
