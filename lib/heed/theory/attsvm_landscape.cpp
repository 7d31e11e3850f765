// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_landscape.hpp"

#include <algorithm>

#include "heed/linalg/product.hpp"
#include "heed/theory/attsvm_local_cone.hpp"
#include "heed/theory/attsvm_overparam.hpp"
#include "heed/theory/query_rungs.hpp"

namespace heed {
namespace {

// B_i R'_i / (4 Delta_i), exactly.
Rational mixing(const QueryFacts& f, std::size_t i) {
  const ScoreFacts& s = f.score_facts()[i];
  if (s.rest.sign() == 0) return Rational();
  const std::vector<Rational>& a = f.optimal().logits[i];
  std::optional<Rational> least, most;
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (t == s.opt) continue;
    least = least ? std::min(*least, a[t]) : a[t];
    most = most ? std::max(*most, a[t]) : a[t];
  }
  return (*most - *least) * s.rest / (Rational(4) * s.delta);
}

// -<grad L, W_mm> - bound is a sum of s_t s_u |l'_i| times these; none is negative under C. `weight` is
// what the bound takes from a pair of the optimal token and t.
template <class F>
bool no_negative_pair(const QueryFacts& f, F&& weight) {
  for (std::size_t i = 0; i < f.inputs(); ++i) {
    if (!f.counts(i)) continue;
    const std::vector<Rational>&a = f.optimal().logits[i], &gamma = f.scores()[i];
    const std::size_t opt = f.score_facts()[i].opt;
    for (std::size_t t = 0; t < a.size(); ++t)
      for (std::size_t u = 0; u < t; ++u) {
        Rational c = (a[t] - a[u]) * (gamma[t] - gamma[u]);
        if (t == opt || u == opt) c -= weight(i, t == opt ? u : t);
        if (c.sign() < 0) return false;
      }
  }
  return true;
}

// The weight gamma_opt - gamma_t.
auto score_gap(const QueryFacts& f) {
  return [&f](std::size_t i, std::size_t t) {
    return Rational(f.score_facts()[i].best - f.scores()[i][t]);
  };
}

bool no_mixing(const QueryFacts& f) {
  for (std::size_t i = 0; i < f.inputs(); ++i)
    if (f.counts(i) && mixing(f, i).sign() != 0) return false;
  return true;
}

template <class S>
struct Slope {
  const QueryAnalysis<S>& a;
  S gamma() const { return S(S(1) / sqrt_exact<S>(a.facts().optimal().norm2)); }
  S descent() const { return a.descent_along_margin(a.facts().optimal()); }
  S along() const { return S(descent() * gamma()); }
};

template <class S>
void add_stationary(const QueryAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.no_stationary_points";
  const QueryFacts& f = a.facts();
  using Terms = QueryTerms<S>;
  const auto rung = [&](const std::string& name, auto&& term, auto&& weight) {
    return rung_under<S>(
        id, name,
        {a.linear_loss(), f.some_choice, f.unique_optima, f.optimal().feasible, f.comonotone}, [&] {
          const S bound = a.mean([&](std::size_t i) { return term(a.terms(i)); });
          return std::vector<Item<S>>{
              decided_item<S>(bound, Slope<S>{a}.descent(), no_negative_pair(f, weight))};
        });
  };
  evaluate_wanted<S>(
      id,
      {{"probability",
        [&] {
          return rung(
              "probability",
              [](const Terms& t) { return S(t.slope * S(t.best_attention * S(t.rest * t.delta))); },
              [&](std::size_t i, std::size_t) { return f.score_facts()[i].delta; });
        }},
       {"gap",
        [&] {
          return rung(
              "gap", [](const Terms& t) { return S(t.slope * S(t.best_attention * t.drop)); },
              score_gap(f));
        }}},
      wanted, all);
}

template <class S>
void add_alignment(const QueryAnalysis<S>& a, const Wanted& wanted,
                   std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.gradient_alignment";
  const QueryFacts& f = a.facts();
  const auto rung = [&](const std::string& name, const Condition& condition, auto&& factor) {
    return rung_under<S>(
        id, name,
        {a.linear_loss(), f.some_choice, f.unique_optima, f.optimal().feasible, condition}, [&] {
          const Slope<S> slope{a};
          const S ratio = slope.gamma() / sqrt_exact<S>(f.optimal().largest_A2());
          // A single constraint: the gradient is a multiple of W_mm.
          return std::vector<Item<S>>{decided_item<S>(S(ratio * factor()),
                                                      slope.along() / a.gradient_norm(),
                                                      f.optimal().problem.rows() == 1)};
        });
  };
  evaluate_wanted<S>(
      id,
      {{"equal_scores", [&] { return rung("equal_scores", f.equal_scores, [] { return S(1); }); }},
       {"comonotone",
        [&] {
          return rung("comonotone", f.comonotone, [&] {
            return a.least([&](std::size_t i) {
              const QueryTerms<S>& t = a.terms(i);
              return S(t.best_attention * t.delta / t.range);
            });
          });
        }}},
      wanted, all);
}

template <class S>
Condition theta_condition(const S& theta) {
  const std::string text = "theta >= 0";
  const Ternary holds = less_equal(S(0), theta);
  if (certainly(holds)) return Condition::proved(text);
  return certainly_not(holds) ? Condition::disproved(text, "theta < 0")
                              : Condition::open(text, "theta is not proved to be >= 0");
}

template <class S>
void add_domination(const QueryAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.gradient_domination";
  if (!any_wanted(wanted, id, {"signed", "excess", "norm", "comonotone"})) return;
  const QueryFacts& f = a.facts();
  const Slope<S> slope{a};
  const bool applies = a.linear_loss().is_proved() && f.some_choice.is_proved() &&
                       f.unique_optima.is_proved() && f.optimal().feasible.is_proved();
  const S theta = applies ? domination_theta(a) : S(0);
  const Condition sign = theta_condition(theta);
  // Then theta <= s_opt, and -<grad L, W_mm> >= (1/n) sum |l'_i| s_opt drop_i term by term.
  const bool termwise = applies && no_mixing(f) && no_negative_pair(f, score_gap(f)),
             straight = applies && a.loss() == QueryLoss::correlation;  // E is the mean drop
  const auto rung = [&](const std::string& name, const Condition& extra, auto&& item) {
    return rung_under<S>(
        id, name, {a.linear_loss(), f.some_choice, f.unique_optima, f.optimal().feasible, extra},
        item);
  };
  evaluate_wanted<S>(
      id,
      {{"signed",
        [&] {
          return rung("signed", f.optimal().feasible, [&] {
            const S drop =
                a.mean([&](std::size_t i) { return S(a.terms(i).slope * a.terms(i).drop); });
            return std::vector<Item<S>>{
                decided_item<S>(slope.gamma() * theta * drop, slope.along(), termwise)};
          });
        }},
       {"excess",
        [&] {
          RungValues<S> r = rung("excess", sign, [&] {
            return std::vector<Item<S>>{decided_item<S>(slope.gamma() * theta * a.excess(),
                                                        slope.along(), termwise && straight)};
          });
          r.complete = sign.holds != Ternary::unknown;
          return r;
        }},
       {"norm",
        [&] {
          return rung("norm", f.optimal().feasible, [&] {
            return one_item<S>(slope.gamma() * max(theta, S(0)) * a.excess(), a.gradient_norm());
          });
        }},
       {"comonotone",
        [&] {
          return rung("comonotone", f.comonotone, [&] {
            const S least = a.least([&](std::size_t i) { return a.terms(i).best_attention; });
            const bool decided = straight && no_negative_pair(f, score_gap(f));
            return std::vector<Item<S>>{
                decided_item<S>(slope.gamma() * least * a.excess(), slope.along(), decided)};
          });
        }}},
      wanted, all);
}

}  // namespace

template <class S>
S domination_theta(const QueryAnalysis<S>& a) {
  return a.least([&](std::size_t i) {
    const QueryTerms<S>& t = a.terms(i);
    return S(t.best_attention - t.rest * Scalar<S>::from(mixing(a.facts(), i)));
  });
}

template <class S>
std::vector<S> first_gradient_products(const QueryAnalysis<S>& a) {
  std::vector<std::vector<Rational>> zero = a.point()->logits;
  for (std::vector<Rational>& of_input : zero) of_input.assign(of_input.size(), Rational());
  const QueryModel<S> model = a.model_at(zero);
  const Matrix<S> keys = multiply_transposed(model.inputs().Z(), model.gradient());
  const RankOneRows& rows = a.facts().optimal().problem.inequalities;
  std::vector<S> products;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    S sum(0);
    for (std::size_t c = 0; c < keys.cols(); ++c)
      sum -= Scalar<S>::from(rows.a(k, c)) * keys(rows.query[k], c);
    products.push_back(sum);
  }
  return products;
}

template <class S>
std::vector<RungValues<S>> attsvm_landscape_claims(const QueryAnalysis<S>& a,
                                                   const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  add_stationary(a, wanted, all);
  add_alignment(a, wanted, all);
  add_domination(a, wanted, all);
  add_overparam(a, wanted, all);
  add_local_cone(a, wanted, all);
  return all;
}

template std::vector<RungValues<DoubleBall>> attsvm_landscape_claims(
    const QueryAnalysis<DoubleBall>&, const Wanted&);
template std::vector<RungValues<Ball>> attsvm_landscape_claims(const QueryAnalysis<Ball>&,
                                                               const Wanted&);
template DoubleBall domination_theta(const QueryAnalysis<DoubleBall>&);
template Ball domination_theta(const QueryAnalysis<Ball>&);
template std::vector<DoubleBall> first_gradient_products(const QueryAnalysis<DoubleBall>&);
template std::vector<Ball> first_gradient_products(const QueryAnalysis<Ball>&);

}  // namespace heed
