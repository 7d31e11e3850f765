// SPDX-License-Identifier: Apache-2.0
// The only unit that instantiates the model with MPFI intervals: it is slow to compile.
#include "heed/numeric/mpfi.hpp"

#include "heed/attention/mha.ipp"

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/numeric/ball_arb.hpp"

namespace heed::checks {
namespace {

using Endpoints = Interval<50>;

// The smallest ball around an interval, rounded outward; not finite if an end is not.
Ball to_ball(const Endpoints& x) {
  Ball b;
  arb_set_interval_mpfr(arb(b), &x.backend().data()->left, &x.backend().data()->right,
                        working_precision());
  return b;
}

std::vector<Ball> to_ball(const std::vector<Endpoints>& v) {
  std::vector<Ball> b;
  for (const Endpoints& x : v) b.push_back(to_ball(x));
  return b;
}

void same_numbers(const MhaInstance& m, Tally& tally) {
  const std::vector<Rational> direction = test_direction(m.parameters());
  std::vector<Endpoints> v;
  for (const Rational& q : direction) v.push_back(Scalar<Endpoints>::from(q));
  const MhaModel<Endpoints> endpoints(mha_inputs<Endpoints>(m));
  const MhaModel<Ball> balls(mha_inputs<Ball>(m));
  const PrecisionScope scope(256);
  require_overlap("Phi by MPFI and Arb", balls.phi(), to_ball(endpoints.phi()));
  require_overlap("L by MPFI and Arb", balls.loss(), to_ball(endpoints.loss()));
  const std::vector<Ball> gradient = to_ball(endpoints.gradient());
  require_overlap("grad L by MPFI and Arb", balls.gradient(), gradient);
  require_overlap("(hess L) v by MPFI and Arb", balls.hessian_vector_product(to_balls(direction)),
                  to_ball(endpoints.hessian_vector_product(v)));
  for (const LossTerms<Endpoints>& l : endpoints.loss_terms())
    ++tally[to_ball(l.slope).is_finite() ? "margins: finite" : "margins: out of the range of MPFI"];
  if (is_tame(m)) require_narrow("grad L by MPFI", gradient);
}

}  // namespace

std::vector<Property> mpfi_properties() {
  return {{"mha_model.mpfi",
           "Arb balls and MPFI intervals enclose the same loss, gradient and product",
           draw_instance,
           300,
           same_numbers,
           {}}};
}

}  // namespace heed::checks
