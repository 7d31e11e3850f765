// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/moment.hpp"

#include "heed/linalg/product.hpp"

namespace heed {
namespace {

// max_{s,r} direction . (x_s - x_r), from all pairs or, lean, from the differences to x_0.
template <class S>
S range(const MhaInputs<S>& in, std::size_t i, const S* direction, StateForm form) {
  S r(0);
  if (form == StateForm::lean) {
    S low(0);
    for (std::size_t s = 1; s < in.X[i].rows(); ++s) {
      const S along = dot(in.dim(), direction, 1, in.difference(i, s, 0), 1);
      r = max(r, along);
      low = min(low, along);
    }
    return r - low;
  }
  for (std::size_t k = 0; k < in.dX[i].rows(); ++k)
    r = max(r, dot(in.dim(), direction, 1, in.dX[i].row(k), 1));
  return r;
}

}  // namespace

template <class S>
std::vector<RungValues<S>> moment_claims(const MhaAnalysis<S>& a, const Wanted& wanted) {
  if (!wanted("moment.third", "third") && !wanted("moment.third", "variance") &&
      !wanted("moment.third", "covariance"))
    return {};
  const MhaInputs<S>& in = a.model().inputs();
  const std::size_t d = in.dim();
  RungValues<S> third{"moment.third", "third", {}, {}, false, false, ""};
  RungValues<S> variance{"moment.third", "variance", {}, {}, false, false, ""};
  RungValues<S> covariance{"moment.third", "covariance", {}, {}, false, false, ""};
  const S c3 = third_moment_constant<S>();
  HeadState<S> room;
  const StateForm form = a.model().form();
  for (std::size_t i = 0; i < a.samples(); ++i)
    for (std::size_t h = 0; h < a.heads(); ++h) {
      const HeadState<S>& head = a.model().head(i, h, room);
      const Matrix<S> q = multiply(in.X[i], in.W[h]);  // row t: z_ts = q_t . x_s
      for (std::size_t t = 0; t < in.X[i].rows(); ++t) {
        S m3(0), m2(0), mixed(0);
        for (std::size_t s = 0; s < in.X[i].rows(); ++s) {
          const S g = dot(d, q.row(t), 1, head.xc[t].row(s), 1);
          m3 += head.Gam(t, s) * square(g);
          m2 += head.A(t, s) * square(g);
          mixed += head.Gam(t, s) * g;
        }
        const S F = range(in, i, in.U[h].row(t), form), Q = range(in, i, q.row(t), form);
        const std::string where = "sample " + std::to_string(i) + ", head " + std::to_string(h) +
                                  ", row " + std::to_string(t);
        third.items.push_back({abs(m3), F * square(Q) * c3, where});
        variance.items.push_back({m2, ldexp(square(Q), -2), where});
        covariance.items.push_back({abs(mixed), ldexp(S(F * Q), -2), where});
      }
    }
  return {std::move(third), std::move(variance), std::move(covariance)};
}

std::vector<ClaimInfo> moment_claim_infos() {
  return {
      {"moment.third",
       "Third central moments are bounded by ranges: on any finite probability space, for f, g of "
       "ranges F, Q, |E[(f - Ef)(g - Eg)^2]| <= F Q^2/(6 sqrt 3).",
       {"the weights are a probability vector (softmax row: always)"},
       {"1/(6 sqrt 3) = 0.0962250..., sharp"},
       {{"third", "|E[(f - Ef)(g - Eg)^2]| <= F Q^2/(6 sqrt 3)"},
        {"variance", "Var(g) <= Q^2/4"},
        {"covariance", "|Cov(f, g)| <= F Q/4"}},
       "third: two-point distribution with weights (3 -+ sqrt 3)/6; variance, covariance: 1/2, 1/2",
       "moment"}};
}

template std::vector<RungValues<double>> moment_claims(const MhaAnalysis<double>&, const Wanted&);
template std::vector<RungValues<DoubleBall>> moment_claims(const MhaAnalysis<DoubleBall>&,
                                                           const Wanted&);
template std::vector<RungValues<Ball>> moment_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
