// SPDX-License-Identifier: Apache-2.0
// The only unit that instantiates query attention with MPFI intervals and MPFR reals.
#include "heed/numeric/mpfi.hpp"
#include "heed/numeric/mpfr_real.hpp"

#include "heed/attention/query_attention.ipp"
#include "heed/attention/query_scaled.ipp"
#include "heed/attention/query_selection.ipp"

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/numeric/ball_arb.hpp"

namespace heed::checks {
namespace {

using Endpoints = Interval<50>;
using Reals = Real<50>;

Ball to_ball(const Endpoints& x) {
  Ball b;
  arb_set_interval_mpfr(arb(b), &x.backend().data()->left, &x.backend().data()->right,
                        working_precision());
  return b;
}

Ball to_ball(const Reals& x) {
  Ball b;
  arb_set_interval_mpfr(arb(b), x.backend().data(), x.backend().data(), working_precision());
  return b;
}

template <class S>
QueryModel<S> model_of(const QueryInstance& q) {
  const QueryPoint& p = q.points.front();
  return QueryModel<S>(std::make_shared<QueryInputs<S>>(q, p.head), p.loss,
                       map(p.weights.W, [](const Rational& x) { return Scalar<S>::from(x); }));
}

template <class S>
std::vector<S> product(const QueryInstance& q, const QueryModel<S>& model) {
  return model
      .hessian_vector_product(
          map(*q.points.front().direction, [](const Rational& x) { return Scalar<S>::from(x); }))
      .entries();
}

template <class S>
std::vector<Ball> to_balls(const std::vector<S>& v) {
  std::vector<Ball> b;
  for (const S& x : v) b.push_back(to_ball(x));
  return b;
}

void same_numbers(const QueryInstance& q, Tally& tally) {
  const PrecisionScope scope(256);
  const auto endpoints = model_of<Endpoints>(q);
  const auto balls = model_of<Ball>(q);
  require_overlap("margins by MPFI and Arb", to_balls(endpoints.margins()), balls.margins());
  require_overlap("L by MPFI and Arb", to_ball(endpoints.loss()), balls.loss());
  if (endpoints.open_unit() || balls.open_unit()) {
    ++tally["not proved differentiable"];
    return;
  }
  require_overlap("grad L by MPFI and Arb", to_balls(endpoints.gradient().entries()),
                  balls.gradient().entries());
  require_overlap("(hess L)[D] by MPFI and Arb", to_balls(product(q, endpoints)),
                  product(q, balls));
  if (std::holds_alternative<LinearHead>(q.points.front().head))
    require_overlap("E by MPFI and Arb", to_ball(query_excess(endpoints).mean),
                    query_excess(balls).mean);
  if (!is_tame(q)) return;
  require_narrow("grad L by MPFI", to_balls(endpoints.gradient().entries()));
  const auto reals = model_of<Reals>(q);
  if (reals.open_unit()) return;
  const std::vector<Reals> gradient = reals.gradient().entries();
  Ball scale(1);
  for (const Ball& x : balls.score_gaps()) scale = max(scale, abs(x));
  for (const Matrix<Rational>& x : q.X)
    for (const Rational& e : x.entries()) scale = max(scale, abs(Ball(e)));
  for (const Rational& e : q.Z.entries()) scale = max(scale, abs(Ball(e)));
  for (const auto& l : balls.loss_terms()) scale = max(scale, l.slope);
  scale = square(square(square(scale)));
  for (std::size_t k = 0; k < gradient.size(); ++k)
    require(certainly(less_equal(abs(to_ball(gradient[k]) - balls.gradient().entries()[k]),
                                 Ball(1e-45) * scale)),
            "MPFR gradient is far from the balls");
  ++tally["reals compared"];
}

}  // namespace

std::vector<Property> query_mpfi_properties() {
  return {query_property("query_attention.mpfi", "Arb balls, MPFI intervals and MPFR reals agree",
                         300, same_numbers)};
}

}  // namespace heed::checks
