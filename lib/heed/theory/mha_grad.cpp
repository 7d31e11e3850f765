// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/mha_grad.hpp"

#include <optional>

#include "heed/numeric/logistic.hpp"
#include "heed/theory/rungs.hpp"

namespace heed {

template <class S>
std::vector<RungValues<S>> mha_grad_claims(const MhaAnalysis<S>& a, const Wanted& wanted) {
  using Bounds = SampleBounds<S>;
  std::vector<RungValues<S>> all;
  const std::string grad = "mha.grad_bound", loss = "mha.loss_grad";
  const auto per_sample = [&](const std::string& rung, auto&& bound) {
    RungValues<S> r{grad, rung, {}, {}, true, rung == "exact", ""};
    for (std::size_t i = 0; i < a.samples(); ++i)
      r.items.push_back({a.phi_gradient_norm(i), bound(i), "sample " + std::to_string(i)});
    return r;
  };
  const auto along = [&](S Bounds::*ladder) {
    return [&a, ladder](std::size_t i) -> S { return a.bounds(i).*ladder; };
  };
  evaluate_wanted<S>(
      grad,
      {{"paper",
        [&] { return per_sample("paper", [b = a.b1_paper()](std::size_t) { return b; }); }},
       {"worst", [&] { return per_sample("worst", [b = a.b1()](std::size_t) { return b; }); }},
       {"geom", [&] { return per_sample("geom", along(&Bounds::grad_geom)); }},
       {"state", [&] { return per_sample("state", along(&Bounds::grad_state)); }},
       {"exact",
        [&] {
          return per_sample("exact", [&](std::size_t i) -> S { return a.phi_gradient_norm(i); });
        }}},
      wanted, all);

  std::optional<S> kept;
  const auto norm = [&]() -> const S& { return kept ? *kept : kept.emplace(a.gradient_norm()); };
  const auto single = [&](const std::string& rung, const S& rhs) {
    return single_rung<S>(loss, rung, norm(), rhs);
  };
  evaluate_wanted<S>(
      loss,
      {{"paper", [&] { return single("paper", a.b1_paper() * a.loss()); }},
       {"worst_loss", [&] { return single("worst_loss", a.b1() * a.loss()); }},
       {"worst_1mexp",
        [&] {
          return logistic_rung<S>(a, loss, "worst_1mexp", norm(),
                                  a.b1() * one_minus_exp_neg(a.loss()));
        }},
       {"worst", [&] { return single("worst", a.b1() * a.mean_slope()); }},
       {"geom", [&] { return single("geom", a.weighted_bound(&Bounds::grad_geom)); }},
       {"state", [&] { return single("state", a.weighted_bound(&Bounds::grad_state)); }},
       {"gradexact",
        [&] {
          return with_difference(single("gradexact", a.weighted_gradient_norm()), a.samples() == 1,
                                 "n = 1: both sides are p ||grad Phi(X)||", true);
        }},
       {"exact", [&] { return reflexive_rung<S>(loss, "exact", norm()); }},
       {"squared",
        [&] {
          return logistic_rung<S>(a, loss, "squared", square(norm()),
                                  ldexp(S(square(S(a.b1())) * a.loss()), -1));
        }}},
      wanted, all);
  return all;
}

std::vector<ClaimInfo> mha_grad_claim_infos() {
  const std::string beta1 =
      "beta1 = sqrt(T) R (2 R^2 ||theta||_{2,inf} + 1) (paper-style, unverified wording)";
  const std::string b1 = "b1 = sqrt(T) R sqrt(1 + R^4 mean_h ||U_h||_F^2)";
  return {
      {"mha.grad_bound",
       "The gradient of the model output is bounded by the tokens and the read-out: ||grad "
       "Phi(X_i)||.",
       {"finite tokens and weights (always: the file holds exact numbers)"},
       {beta1, b1},
       {{"paper", "beta1"},
        {"worst", "b1"},
        {"geom", "sqrt(T_i r^2 + sigma^2 (D/2)^4 mean_h ||U_h||_F^2)"},
        {"state",
         "sqrt(mean_h [||A_h X||_F^2 + sigma^2 sum_t c_t^2 ||u_t||^2]), c_t = lambda_max(C_t)"},
        {"exact", "||grad Phi(X_i)||"}},
       "geom, state: T = 1 or all tokens equal; worst: moreover U = 0 and ||o_t|| = R",
       "mha_grad"},
      {"mha.loss_grad",
       "The gradient of the loss is bounded by the loss itself: ||grad L||.",
       {"worst_1mexp, squared: the loss is logistic"},
       {beta1, b1, "G = (1/n) sum_i |l'_i|"},
       {{"paper", "beta1 L"},
        {"worst_loss", "b1 L"},
        {"worst_1mexp", "b1 (1 - exp(-L))"},
        {"worst", "b1 G"},
        {"geom", "(1/n) sum_i p_i geom_i"},
        {"state", "(1/n) sum_i p_i state_i"},
        {"gradexact", "(1/n) sum_i p_i ||grad Phi(X_i)||"},
        {"exact", "||grad L||"},
        {"squared", "||grad L||^2 <= b1^2 L/2"}},
       "gradexact: n = 1 or aligned gradients",
       "mha_grad"},
  };
}

template std::vector<RungValues<double>> mha_grad_claims(const MhaAnalysis<double>&, const Wanted&);
template std::vector<RungValues<DoubleBall>> mha_grad_claims(const MhaAnalysis<DoubleBall>&,
                                                             const Wanted&);
template std::vector<RungValues<Ball>> mha_grad_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
