// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/mha_hessian.hpp"

#include "heed/numeric/logistic.hpp"
#include "heed/theory/rungs.hpp"

namespace heed {
namespace {

template <class S>
S negative_part(const S& x) {
  return max(S(0), S(-x));
}

template <class S>
S worst_head(const std::vector<S>& per_head) {
  S m(0);
  for (const S& x : per_head) m = max(m, x);
  return m;
}

template <class S>
void add_hessian_bound(const MhaAnalysis<S>& a, const Wanted& wanted,
                       std::vector<RungValues<S>>& all) {
  using Bounds = SampleBounds<S>;
  const std::string id = "mha.hessian_bound";
  const auto per_sample = [&](const std::string& rung, auto&& bound) {
    RungValues<S> r{id, rung, {}, {}, true, rung == "exact", ""};
    for (std::size_t i = 0; i < a.samples(); ++i)
      r.items.push_back({worst_head(a.bounds(i).hess_exact) / a.sqrt_heads(),
                         bound(i) / a.sqrt_heads(), "sample " + std::to_string(i)});
    return r;
  };
  const auto along = [&](std::vector<S> Bounds::*ladder) {
    return [&a, ladder](std::size_t i) -> S { return worst_head(a.bounds(i).*ladder); };
  };
  evaluate_wanted<S>(
      id,
      {{"paper",
        [&] { return per_sample("paper", [b = a.b2_paper()](std::size_t) { return b; }); }},
       {"worst", [&] { return per_sample("worst", [b = a.b2()](std::size_t) { return b; }); }},
       {"geom", [&] { return per_sample("geom", along(&Bounds::hess_geom)); }},
       {"state", [&] { return per_sample("state", along(&Bounds::hess_state)); }},
       {"exact", [&] { return per_sample("exact", along(&Bounds::hess_exact)); }}},
      wanted, all);
}

template <class S>
S worst_block(const MhaAnalysis<S>& a) {
  S block(0);
  for (const S& m : a.block_minima()) block = max(block, S(-m));
  return block;
}

template <class S>
void add_weak_convexity(const MhaAnalysis<S>& a, const Wanted& wanted,
                        std::vector<RungValues<S>>& all) {
  using Bounds = SampleBounds<S>;
  const std::string id = "mha.weak_convexity";
  const auto lhs = [&] { return negative_part(a.hessian_extremes().least); };
  const auto b2 = [&] { return S(a.b2() / a.sqrt_heads()); };
  const auto single = [&](const std::string& rung, const S& rhs) {
    return single_rung<S>(id, rung, lhs(), rhs);
  };
  evaluate_wanted<S>(
      id,
      {{"paper", [&] { return single("paper", a.b2_paper() / a.sqrt_heads() * a.loss()); }},
       {"worst_1mexp",
        [&] {
          return logistic_rung<S>(a, id, "worst_1mexp", lhs(), b2() * one_minus_exp_neg(a.loss()));
        }},
       {"worst_G", [&] { return single("worst_G", b2() * a.mean_slope()); }},
       {"geom", [&] { return single("geom", a.weighted_head_bound(&Bounds::hess_geom)); }},
       {"state", [&] { return single("state", a.weighted_head_bound(&Bounds::hess_state)); }},
       {"hessnorm",
        [&] {
          return with_difference(single("hessnorm", a.weighted_head_bound(&Bounds::hess_exact)),
                                 a.samples() == 1,
                                 "n = 1: hess L = B + J^T J, J^T J >= 0, and the bound is ||B||");
        }},
       {"block",
        [&] {
          return with_difference(single("block", worst_block(a)), true,
                                 "hess L = B + J^T J, J^T J >= 0, and the bound is that of B");
        }},
       {"exact", [&] { return reflexive_rung<S>(id, "exact", lhs()); }}},
      wanted, all);
}

// (1/n) sum_i l''_i geom_i^2
template <class S>
S geometric_gauss_newton(const MhaAnalysis<S>& a) {
  S sum(0);
  for (std::size_t i = 0; i < a.samples(); ++i)
    sum += a.model().loss_terms()[i].second * square(a.bounds(i).grad_geom);
  return sum / S(static_cast<int>(a.samples()));
}

template <class S>
void add_smoothness(const MhaAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all) {
  using Bounds = SampleBounds<S>;
  const std::string id = "mha.smoothness";
  const auto lhs = [&] { return a.hessian_extremes().norm(); };
  const auto b1_squared = [&] { return square(S(a.b1())); };
  const auto b2 = [&] { return S(a.b2() / a.sqrt_heads()); };
  const auto single = [&](const std::string& rung, const S& rhs) {
    return single_rung<S>(id, rung, lhs(), rhs);
  };
  evaluate_wanted<S>(
      id,
      {{"paper",
        [&] {
          return logistic_rung<S>(
              a, id, "paper", lhs(),
              ldexp(square(S(a.b1_paper())), -2) + a.b2_paper() / a.sqrt_heads());
        }},
       {"worst",
        [&] { return logistic_rung<S>(a, id, "worst", lhs(), ldexp(b1_squared(), -2) + b2()); }},
       {"worst_G", [&] { return single("worst_G", (b1_squared() + b2()) * a.mean_slope()); }},
       {"geom",
        [&] {
          return single("geom",
                        geometric_gauss_newton(a) + a.weighted_head_bound(&Bounds::hess_geom));
        }},
       {"gram",
        [&] {
          return with_difference(
              single("gram", a.gauss_newton_norm() + a.weighted_head_bound(&Bounds::hess_exact)),
              a.samples() == 1, "n = 1: hess L = B + J^T J, and the bound is ||J^T J|| + ||B||");
        }},
       {"exact", [&] { return reflexive_rung<S>(id, "exact", lhs()); }}},
      wanted, all);
}

}  // namespace

template <class S>
std::vector<RungValues<S>> mha_hessian_claims(const MhaAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  add_hessian_bound(a, wanted, all);
  add_weak_convexity(a, wanted, all);
  add_smoothness(a, wanted, all);
  return all;
}

template <class S>
CurvatureRatios<S> curvature_ratios(const MhaAnalysis<S>& a) {
  return curvature_ratios_of(a.hessian_extremes().least, a.sqrt_heads(), a.loss(), a.mean_slope());
}

template <class S>
CurvatureRatios<S> curvature_ratios_of(const S& least, const S& sqrt_heads, const S& loss,
                                       const S& mean_slope) {
  const S scaled = negative_part(least) * sqrt_heads;
  return {scaled / loss, scaled / mean_slope};
}

std::vector<ClaimInfo> mha_hessian_claim_infos() {
  const std::string lam = "lam(s, k) = (k + sqrt(k^2 + 4 s^2))/2, c3 = 1/(6 sqrt 3)";
  const std::string beta2 =
      "beta2 = 2 sqrt(T d) R^3 (3 sqrt(d) R^2 ||theta||_{2,inf} + 1) (paper-style, unverified "
      "wording)";
  const std::string b2 = "b2 = lam(sqrt(T) R^3, 8 c3 sqrt(T) R^5 max_h ||U_h||_F)";
  return {
      {"mha.hessian_bound",
       "The Hessian of the model output is bounded by the tokens and the read-out: ||hess "
       "Phi(X_i)||.",
       {"finite tokens and weights (always: the file holds exact numbers)"},
       {lam, beta2, b2},
       {{"paper", "beta2/sqrt H"},
        {"worst", "b2/sqrt H"},
        {"geom", "max_h lam(sigma (D/2)^2, c3 D^3 lambda_max(X^T diag(||u_t||) X))/sqrt H"},
        {"state",
         "max_h lam(sqrt(lambda_max(X^T diag(c_t^2) X)), lambda_max(X^T diag(||K_t||) X))/sqrt H"},
        {"exact", "max_h ||hess phi_h(X_i)||/sqrt H"}},
       "worst: U = 0, W = 0, balanced tokens +-R e; geom, state: d = 1 and others",
       "mha_hessian"},
      {"mha.weak_convexity",
       "The loss is self-bounded weakly convex: -lambda_min(hess L) is at most a multiple of the "
       "loss.",
       {"worst_1mexp: the loss is logistic"},
       {lam, beta2, b2, "G = (1/n) sum_i |l'_i|"},
       {{"paper", "beta2 L/sqrt H"},
        {"worst_1mexp", "b2 (1 - exp(-L))/sqrt H"},
        {"worst_G", "b2 G/sqrt H"},
        {"geom", "max_h (1/n) sum_i p_i geom_{i,h}/sqrt H"},
        {"state", "max_h (1/n) sum_i p_i state_{i,h}/sqrt H"},
        {"hessnorm", "max_h (1/n) sum_i p_i ||hess phi_h(X_i)||/sqrt H"},
        {"block", "max(0, -min_h lambda_min((1/n) sum_i l'_i y_i hess phi_h(X_i)))/sqrt H"},
        {"exact", "max(0, -lambda_min(hess L))"}},
       "block: a least eigenvector of the block form is orthogonal to all grad Phi(X_i)",
       "mha_hessian"},
      {"mha.smoothness",
       "The loss is smooth: ||hess L||.",
       {"paper, worst: the loss is logistic"},
       {"b1, beta1 of mha.grad_bound; b2, beta2 of mha.hessian_bound"},
       {{"paper", "beta1^2/4 + beta2/sqrt H"},
        {"worst", "b1^2/4 + b2/sqrt H"},
        {"worst_G", "(b1^2 + b2/sqrt H) G"},
        {"geom", "(1/n) sum_i l''_i geom_i^2 + weak-convexity geom"},
        {"gram",
         "lambda_max of sqrt(l''_i l''_j) <grad Phi_i, grad Phi_j>/n + weak-convexity hessnorm"},
        {"exact", "||hess L||"}},
       "gram: T = 1 or all tokens equal",
       "mha_hessian"},
  };
}

template std::vector<RungValues<double>> mha_hessian_claims(const MhaAnalysis<double>&,
                                                            const Wanted&);
template std::vector<RungValues<DoubleBall>> mha_hessian_claims(const MhaAnalysis<DoubleBall>&,
                                                                const Wanted&);
template std::vector<RungValues<Ball>> mha_hessian_claims(const MhaAnalysis<Ball>&, const Wanted&);
template CurvatureRatios<double> curvature_ratios(const MhaAnalysis<double>&);
template CurvatureRatios<DoubleBall> curvature_ratios(const MhaAnalysis<DoubleBall>&);
template CurvatureRatios<DoubleBall> curvature_ratios_of(const DoubleBall&, const DoubleBall&,
                                                         const DoubleBall&, const DoubleBall&);
template CurvatureRatios<Ball> curvature_ratios(const MhaAnalysis<Ball>&);

}  // namespace heed
