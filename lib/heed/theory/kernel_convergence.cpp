// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_convergence.hpp"

#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_descent.hpp"
#include "heed/theory/kernel_jacobian.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

constexpr std::size_t steps_shown = 4;

template <class S>
S residual_norm(const KernelAnalysis<S>& a) {
  return sqrt_nonnegative(squared_norm(a.residual()));
}

template <class S>
void value_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.local_pl";
  const Condition mu = a.mu_positive(KernelBlock::value);
  const auto run = [&] {
    return descend_values(a, S(S(1) / a.L(KernelBlock::value)), steps_shown);
  };
  evaluate_wanted<S>(
      id,
      {{"value_rate",
        [&] {
          return kernel_rung<S>(id, "value_rate", {a.small(), mu, a.loss_positive()}, [&] {
            const ValueDescent<S> r = run();
            const S rate = S(1) - a.mu(KernelBlock::value) * r.eta;
            std::vector<Item<S>> items;
            S bound = a.loss();
            for (std::size_t t = 1; t <= steps_shown; ++t) {
              bound *= rate;
              items.push_back({r.losses[t], bound, "step " + std::to_string(t)});
            }
            return items;
          });
        }},
       {"value_path",
        [&] {
          return kernel_rung<S>(id, "value_path", {a.small(), mu, a.loss_positive()}, [&] {
            S path(0);
            for (const S& step : run().steps) path += step;
            return one_item<S>(path,
                               S(2) * sqrt_nonnegative(S(2) * a.loss() / a.mu(KernelBlock::value)));
          });
        }}},
      wanted, all);
}

// f after one step of all blocks.
template <class S>
S loss_after_step(const KernelAnalysis<S>& a, const S& eta) {
  const auto blocks = KernelBlocks::all();
  std::vector<S> w = flatten(a.model().weights(), blocks);
  const std::vector<S> g = flatten(a.gradient(), blocks);
  for (std::size_t k = 0; k < w.size(); ++k) w[k] -= eta * g[k];
  return max(a.model_at(with_flat(a.model().weights(), blocks, w)).loss(), S(0));
}

template <class S>
void all_claims(const KernelAnalysis<S>& a, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const std::string init = "kernel.init_condition.all", point = "kernel.existence";
  if (!any_wanted(wanted, init, {"rate", "distance"}) && !wanted(point, "distance")) return;
  const Condition positive = a.loss_positive(), mu = a.mu_positive(KernelBlocks::all());
  const std::string text = "some R meets L_J(R) R <= sigma_0 / 2 and |r_0| <= sigma_0 R / 4";
  InitCondition<S> c{Condition::open(text, "sigma_0 > 0 is not proved"), {}, {}, {}, {}, {}, {}};
  Existence<S> e{c.holds, {}, {}, {}, {}, {}};
  if (mu.is_proved() && positive.is_proved()) {
    c = init_condition(a);
    e = existence(a);
  }
  evaluate_wanted<S>(
      init,
      {{"rate",
        [&] {
          return kernel_rung<S>(init, "rate", {a.small(), mu, positive, c.holds}, [&] {
            const S eta = S(1) / c.L;
            return one_item<S>(loss_after_step(a, eta), (S(1) - eta * c.mu) * a.loss());
          });
        }},
       {"distance",
        [&] {
          return kernel_rung<S>(init, "distance", {a.small(), mu, positive, c.holds}, [&] {
            return one_item<S>(sqrt_nonnegative(a.gradient_squared(KernelBlocks::all())) / c.L,
                               c.R);
          });
        }}},
      wanted, all);
  evaluate_wanted<S>(point,
                     {{"distance",
                       [&] {
                         return kernel_rung<S>(point, "distance",
                                               {a.small(), mu, positive, e.holds},
                                               [&] { return one_item<S>(e.t_star, e.most); });
                       }}},
                     wanted, all);
}

}  // namespace

template <class S>
InitCondition<S> init_condition(const KernelAnalysis<S>& a, KernelBlocks trained) {
  const std::string text = "some R meets L_J(R) R <= sigma_0 / 2 and |r_0| <= sigma_0 R / 4";
  const Extremes<S>& ends = a.spectrum(trained);
  const S r = residual_norm(a);
  InitCondition<S> c;
  c.sigma = sqrt_nonnegative(ends.least);
  c.J = sqrt_nonnegative(ends.largest);
  c.R = S(4) * r / c.sigma;
  c.L_J = jacobian_lipschitz(a, c.R, trained);
  const S reach = c.L_J * c.R, most = c.sigma / S(2);
  c.holds = certainly(less_equal(reach, most)) ? Condition::proved(text)
            : certainly(less(most, reach))
                ? Condition::disproved(text, "no R does: |r_0| is too large")
                : Condition::open(text, "no R is known to do");
  c.mu = square(c.sigma) / S(4);
  c.L = square(c.J + reach) + c.L_J * (r + (c.J + reach) * c.R);
  return c;
}

template <class S>
Existence<S> existence(const KernelAnalysis<S>& a, KernelBlocks trained) {
  const std::string text = "h = L_J |r_0| / sigma_0^2 <= 1/2, L_J valid on radius t*";
  const S r = residual_norm(a);
  Existence<S> e{Condition::open(text, text + " is not proved"), {}, {}, {}, {}, {}};
  e.sigma = sqrt_nonnegative(a.mu(trained));
  e.most = S(2) * r / e.sigma;
  bool excluded = true;
  // t* lies between |r_0| / sigma_0 and twice that.
  for (const int eighths : {8, 9, 10, 12, 16}) {
    e.R = S(eighths) / S(8) * r / e.sigma;
    e.L_J = jacobian_lipschitz(a, e.R, trained);
    const S h = e.L_J * r / square(e.sigma);
    excluded = excluded && certainly(less(S(1) / S(2), h));
    if (!certainly(less_equal(h, S(1) / S(2)))) continue;
    // (sigma/L)(1 - sqrt(1 - 2h)) without cancellation.
    const S t = S(2) * r / e.sigma / (S(1) + sqrt_nonnegative(S(1) - S(2) * h));
    if (!certainly(less_equal(t, e.R))) continue;
    e.t_star = t;
    e.holds = Condition::proved(text);
    return e;
  }
  if (excluded) e.holds = Condition::disproved(text, "h > 1/2 on every radius that was tried");
  return e;
}

template <class S>
std::vector<RungValues<S>> kernel_convergence_claims(const KernelAnalysis<S>& a,
                                                     const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  value_claims(a, wanted, all);
  all_claims(a, wanted, all);
  return all;
}

std::vector<ClaimInfo> kernel_convergence_claim_infos() {
  return {{"kernel.local_pl",
           "A PL constant and a smoothness constant on a ball: linear convergence inside it.",
           {"mu_V > 0, f > 0: then they hold for W_V everywhere"},
           {},
           {{"value_rate", "f_t <= (1 - mu_V / L_V)^t f_0, step 1 / L_V, four steps"},
            {"value_path", "sum_t |W_{t+1} - W_t| <= 2 sqrt(2 f_0 / mu_V)"}},
           "in the limit of small steps",
           "kernel_convergence"},
          {"kernel.init_condition.all",
           "Residuals small against sigma_0: gradient descent on all blocks converges linearly to "
           "f = 0.",
           {"sigma_0 > 0, the M_r-th singular value of J",
            "L_J(R) R <= sigma_0/2 at R = 4 |r_0|/sigma_0"},
           {"mu = sigma_0^2 / 4, L = (|J| + L_J R)^2 + L_J (|r_0| + (|J| + L_J R) R)",
            "L_J(R): kernel.jac_lipschitz.all"},
           {{"rate", "f_1 <= (1 - mu / L) f_0, one step 1 / L"},
            {"distance", "|W_1 - W_0| <= 4 |r_0| / sigma_0, which bounds the whole run"}},
           "never; see the note",
           "kernel_convergence"},
          {"kernel.existence",
           "A point of zero loss exists close by.",
           {"sigma_0 > 0", "h = L_J |r_0| / sigma_0^2 <= 1/2, L_J valid on radius t*"},
           {"t* = (sigma_0 / L_J)(1 - sqrt(1 - 2 h))"},
           {{"distance", "t* <= 2 |r_0| / sigma_0"}},
           "h = 1/2",
           "kernel_convergence"}};
}

template std::vector<RungValues<DoubleBall>> kernel_convergence_claims(
    const KernelAnalysis<DoubleBall>&, const Wanted&);
template std::vector<RungValues<Ball>> kernel_convergence_claims(const KernelAnalysis<Ball>&,
                                                                 const Wanted&);
template InitCondition<DoubleBall> init_condition(const KernelAnalysis<DoubleBall>&, KernelBlocks);
template InitCondition<Ball> init_condition(const KernelAnalysis<Ball>&, KernelBlocks);
template Existence<DoubleBall> existence(const KernelAnalysis<DoubleBall>&, KernelBlocks);
template Existence<Ball> existence(const KernelAnalysis<Ball>&, KernelBlocks);

}  // namespace heed
