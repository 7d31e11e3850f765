// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_pl.hpp"

#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_descent.hpp"
#include "heed/theory/kernel_query.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

template <class S>
void block_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.pl_block";
  const auto add = [&](KernelBlocks b) {
    const std::string name = b.to_string();
    evaluate_wanted<S>(id,
                       {{name,
                         [&] {
                           return kernel_rung<S>(id, name, {a.small(), a.mu_positive(b)}, [&] {
                             return one_item<S>(S(2) * a.mu(b) * a.loss(), a.gradient_squared(b));
                           });
                         }},
                        {name + "_upper",
                         [&] {
                           return kernel_rung<S>(id, name + "_upper", {a.small()}, [&] {
                             return one_item<S>(a.gradient_squared(b), S(2) * a.L(b) * a.loss());
                           });
                         }}},
                       wanted, all);
  };
  for (const KernelBlock block : kernel_blocks) add(block);
  add(KernelBlocks::all());
}

template <class S>
void all_claims(const KernelAnalysis<S>& a, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.pl_all", text = "mu of some block > 0";
  evaluate_wanted<S>(id,
                     {{"weyl",
                       [&] {
                         bool some = false, open = false;
                         for (const KernelBlock b : kernel_blocks) {
                           const Condition c = a.mu_positive(b);
                           some = some || c.is_proved();
                           open = open || c.holds == Ternary::unknown;
                         }
                         const Condition positive =
                             some || open ? shown(some, text)
                                          : Condition::disproved(text, "mu of no block > 0");
                         return kernel_rung<S>(id, "weyl", {a.small(), positive}, [&] {
                           S sum(0);
                           for (const KernelBlock b : kernel_blocks) sum += a.mu(b);
                           return one_item<S>(sum, a.mu(KernelBlocks::all()));
                         });
                       }}},
                     wanted, all);
}

template <class S>
S loss_without_values(const KernelAnalysis<S>& a) {
  S sum(0);
  for (const Matrix<S>& Y : a.model().inputs().Y) sum += squared_norm(Y);
  return sum / S(2);
}

// 2 mu f <= |J^T r|^2 at W_V and at W_V = 0, where r = -Y.
template <class S>
std::vector<Item<S>> value_items(const KernelAnalysis<S>& a) {
  const S mu = a.mu(KernelBlock::value);
  std::vector<S> r;
  for (const Matrix<S>& Y : a.model().inputs().Y)
    for (const S& y : Y.entries()) r.push_back(-y);
  const S there = max(squared_norm(transposed_multiply(a.jacobian(KernelBlock::value), r)), S(0));
  return {{S(2) * mu * a.loss(), a.gradient_squared(KernelBlock::value), "at W_V"},
          {S(2) * mu * loss_without_values(a), there, "at W_V = 0"}};
}

template <class S>
void value_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.pl_value_only";
  const Condition positive_mu = a.mu_positive(KernelBlock::value), common = a.facts().common_W_O;
  const std::size_t H = a.instance().heads();
  const auto bound_rung = [&](const std::string& rung, const Condition& extra, auto&& bound) {
    std::optional<S> value;
    const std::string text = "the bound is positive";
    Condition positive_bound = Condition::open(text, text + " is not proved");
    if (a.small().is_proved() && extra.is_proved() &&
        positive_mu.holds != Ternary::certainly_false) {
      value = bound();
      positive_bound = shown(certainly(positive(*value)), text);
      if (value->is_exact() && value->contains_zero())
        positive_bound = Condition::disproved(text, "the bound is 0");
    }
    return kernel_rung<S>(id, rung, {a.small(), positive_mu, extra, positive_bound},
                          [&] { return one_item<S>(*value, a.mu(KernelBlock::value)); });
  };
  evaluate_wanted<S>(id,
                     {{"value",
                       [&] {
                         return kernel_rung<S>(id, "value", {a.small(), positive_mu},
                                               [&] { return value_items(a); });
                       }},
                      {"general", [&] { return general_value_rung(a, id, "general"); }},
                      {"factored",
                       [&] {
                         return bound_rung("factored", Condition::proved("any W_O"), [&] {
                           S sum(0);
                           for (std::size_t h = 0; h < H; ++h)
                             sum += a.least_squared_W_O(h) * a.least_squared(a.features(h));
                           return sum;
                         });
                       }},
                      {"common",
                       [&] {
                         return bound_rung("common", common, [&] {
                           return S(a.least_squared_W_O(0) * a.least_squared(a.joined_features()));
                         });
                       }}},
                     wanted, all);
  const std::string global = "kernel.value_stationary_is_global";
  evaluate_wanted<S>(global,
                     {{"gradient",
                       [&] {
                         return kernel_rung<S>(
                             global, "gradient", {a.small(), positive_mu, a.loss_positive()}, [&] {
                               return one_item<S>(
                                   sqrt_nonnegative(S(2) * a.mu(KernelBlock::value) * a.loss()),
                                   sqrt_nonnegative(a.gradient_squared(KernelBlocks::all())));
                             });
                       }}},
                     wanted, all);
}

}  // namespace

template <class S>
std::vector<RungValues<S>> kernel_pl_claims(const KernelAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  block_claims(a, wanted, all);
  all_claims(a, wanted, all);
  value_claims(a, wanted, all);
  descent_claims(a, wanted, all);
  query_only_claims(a, wanted, all);
  return all;
}

template std::vector<RungValues<DoubleBall>> kernel_pl_claims(const KernelAnalysis<DoubleBall>&,
                                                              const Wanted&);
template std::vector<RungValues<Ball>> kernel_pl_claims(const KernelAnalysis<Ball>&, const Wanted&);

}  // namespace heed
