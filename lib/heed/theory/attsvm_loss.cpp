// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_loss.hpp"

#include <algorithm>

#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/theory/query_rungs.hpp"

namespace heed {
namespace {

template <class S>
struct GapsOfInput {
  std::size_t input;
  Rational least;  // min_t m_it
  S lse;           // log(q / (1 - q))
  bool even;       // all m_it are equal
  std::size_t others;
};

template <class S>
std::vector<GapsOfInput<S>> gaps_of_inputs(const QueryAnalysis<S>& a) {
  std::vector<GapsOfInput<S>> all;
  for (std::size_t i = 0; i < a.inputs(); ++i) {
    if (!a.counts(i)) continue;
    const std::vector<Rational>& logits = a.point()->logits[i];
    const std::size_t alpha = a.facts().selected().alpha[i];
    std::vector<Rational> m;
    for (std::size_t t = 0; t < logits.size(); ++t)
      if (t != alpha) m.push_back(logits[alpha] - logits[t]);
    const auto [least, most] = std::minmax_element(m.begin(), m.end());
    all.push_back({i, *least, log_sum_exp_neg<S>(m), *least == *most, m.size()});
  }
  return all;
}

template <class S>
void add_sandwich(const QueryAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.softmax_margin_sandwich";
  const QueryFacts& f = a.facts();
  evaluate_wanted<S>(
      id,
      {{"lower",
        [&] {
          return rung_under<S>(id, "lower", {a.has_point(), f.some_choice}, [&] {
            std::vector<Item<S>> items;
            for (const GapsOfInput<S>& g : gaps_of_inputs(a))
              items.push_back(decided_item(S(-g.lse), S(Scalar<S>::from(g.least)), g.others == 1,
                                           input_name(g.input)));
            return items;
          });
        }},
       {"upper",
        [&] {
          return rung_under<S>(id, "upper", {a.has_point(), f.some_choice}, [&] {
            std::vector<Item<S>> items;
            for (const GapsOfInput<S>& g : gaps_of_inputs(a))
              items.push_back(decided_item(S(Scalar<S>::from(g.least)),
                                           S(log(S(static_cast<int>(g.others))) - g.lse), g.even,
                                           input_name(g.input)));
            return items;
          });
        }},
       {"corr",
        [&] {
          const Condition separates =
              a.point() && a.point()->mu.sign() > 0
                  ? Condition::proved("W separates the selected tokens")
                  : Condition::disproved("W separates the selected tokens",
                                         a.point() ? "W does not separate" : "no W");
          const Condition ties = a.point() ? a.point()->meets_equalities : a.has_point();
          return rung_under<S>(
              id, "corr", {a.has_point(), f.selected().feasible, ties, separates}, [&] {
                S least = S(0);
                bool first = true;
                for (const GapsOfInput<S>& g : gaps_of_inputs(a)) {
                  least = first ? S(-g.lse) : min(least, S(-g.lse));
                  first = false;
                }
                const S norm = sqrt_exact<S>(a.point()->norm2),
                        norm_mm = sqrt_exact<S>(f.selected().norm2);
                return one_item<S>(least * norm_mm / norm,
                                   Scalar<S>::from(a.point()->alignment) / (norm * norm_mm));
              });
        }}},
      wanted, all);
}

// One item an input of two tokens or more.
template <class S, class F>
std::vector<Item<S>> per_input(const QueryAnalysis<S>& a, F&& item) {
  std::vector<Item<S>> items;
  for (std::size_t i = 0; i < a.inputs(); ++i)
    if (a.counts(i)) {
      items.push_back(item(i, a.terms(i)));
      items.back().where = input_name(i);
    }
  return items;
}

template <class S>
void add_excess(const QueryAnalysis<S>& a, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.excess_bounds";
  const QueryFacts& f = a.facts();
  const auto rung = [&](const std::string& name, auto&& item) {
    return rung_under<S>(id, name, {a.linear_loss(), f.some_choice},
                         [&] { return per_input(a, item); });
  };
  const auto straight = [&] { return a.loss() == QueryLoss::correlation; };
  const auto equal = [&](std::size_t i) { return f.score_facts()[i].rest.sign() == 0; };
  using Terms = QueryTerms<S>;
  evaluate_wanted<S>(id,
                     {{"slope_lower",
                       [&] {
                         return rung("slope_lower", [&](std::size_t, const Terms& t) {
                           return decided_item(S(t.c1 * t.drop), t.excess, straight());
                         });
                       }},
                      {"slope_upper",
                       [&] {
                         return rung("slope_upper", [&](std::size_t, const Terms& t) {
                           return decided_item(t.excess, S(t.slope * t.drop), straight());
                         });
                       }},
                      {"gap_lower",
                       [&] {
                         // Term by term: every score but the best is at least Delta below it.
                         return rung("gap_lower", [&](std::size_t i, const Terms& t) {
                           return decided_item(S(t.delta * t.rest), t.drop, equal(i));
                         });
                       }},
                      {"gap_upper",
                       [&] {
                         return rung("gap_upper", [&](std::size_t i, const Terms& t) {
                           return decided_item(t.drop, S(t.range * t.rest), equal(i));
                         });
                       }},
                      {"selection",
                       [&] {
                         return rung_under<S>(
                             id, "selection", {a.linear_loss(), f.some_choice, f.unique_optima},
                             [&] {
                               const S total = a.excess() * S(static_cast<int>(a.inputs()));
                               std::size_t choices = 0;
                               for (std::size_t i = 0; i < a.inputs(); ++i)
                                 choices += a.counts(i) ? 1 : 0;
                               return per_input(a, [&](std::size_t i, const Terms& t) {
                                 // The chain of slope_lower and gap_lower with both equalities.
                                 const bool same = choices == 1 && straight() && equal(i);
                                 return decided_item(t.rest, S(total / (t.c1 * t.delta)), same);
                               });
                             });
                       }}},
                     wanted, all);
}

template <class S>
void add_loss_gap(const QueryAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.infeasible_loss_gap";
  const QueryFacts& f = a.facts();
  const std::string text = "the optimal tokens are infeasible";
  Condition infeasible = Condition::open(text, f.unique_optima.failure);
  const Infeasibility* farkas = nullptr;
  if (f.unique_optima.is_proved()) {
    farkas = std::get_if<Infeasibility>(&f.optimal().frobenius.result);
    infeasible = farkas ? Condition::proved(text)
                        : Condition::disproved(text, f.optimal().feasible.is_proved()
                                                         ? "the optimal tokens are feasible"
                                                         : f.optimal().feasible.failure);
  }
  const auto rung = [&](const std::string& name, bool support) {
    return rung_under<S>(
        id, name, {a.linear_loss(), f.some_choice, f.unique_optima, infeasible}, [&] {
          std::vector<bool> counted(a.inputs(), !support);
          for (std::size_t k = 0; k < farkas->lambda.size(); ++k)
            if (farkas->lambda[k].sign() > 0)
              counted[f.optimal().problem.inequalities.query[k]] = true;
          std::optional<S> least;
          for (std::size_t i = 0; i < a.inputs(); ++i)
            if (a.counts(i) && counted[i]) {
              const S gap = a.terms(i).c1 * a.terms(i).delta;
              least = least ? min(*least, gap) : gap;
            }
          return one_item<S>(ldexp(*least, -1) / S(static_cast<int>(a.inputs())), a.excess());
        });
  };
  evaluate_wanted<S>(id,
                     {{"all", [&] { return rung("all", false); }},
                      {"support", [&] { return rung("support", true); }}},
                     wanted, all);
}

// |z_i|^2 diam_i^2, exactly.
Rational spread(const QueryInstance& q, std::size_t i) {
  const Matrix<Rational>& x = q.X[i];
  Rational widest;
  for (std::size_t t = 0; t < x.rows(); ++t)
    for (std::size_t u = 0; u < t; ++u) {
      Rational sum;
      for (std::size_t c = 0; c < x.cols(); ++c) {
        const Rational difference = x(t, c) - x(u, c);
        sum += difference * difference;
      }
      widest = std::max(widest, sum);
    }
  return widest * dot(q.dim(), q.Z.row(i), 1, q.Z.row(i), 1);
}

template <class S>
S paper_smoothness(const QueryAnalysis<S>& a) {
  const QueryInstance& q = a.facts().instance();
  const Rational v2 = squared_norm(*q.v);
  const S v = sqrt_exact<S>(v2);
  return a.mean([&](std::size_t i) {
    const QueryTerms<S>& t = a.terms(i);
    const S X2 = lambda_max(gram_of_columns(a.model().inputs().X(i))), X = sqrt_nonnegative(X2),
            z2 = Scalar<S>::from(dot(q.dim(), q.Z.row(i), 1, q.Z.row(i), 1));
    return S(z2 * (t.M2 * Scalar<S>::from(v2) * square(X2) + S(3) * t.M1 * v * X2 * X));
  });
}

template <class S>
void add_smoothness(const QueryAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.smoothness";
  const QueryFacts& f = a.facts();
  const auto rung = [&](const std::string& name, auto&& bound) {
    return rung_under<S>(id, name, {a.linear_loss(), f.some_choice},
                         [&] { return one_item<S>(a.hessian_norm(), bound()); });
  };
  evaluate_wanted<S>(
      id,
      {{"paper", [&] { return rung("paper", [&] { return paper_smoothness(a); }); }},
       {"worst",
        [&] {
          return rung("worst", [&] {
            return a.mean([&](std::size_t i) {
              const QueryTerms<S>& t = a.terms(i);
              return S(Scalar<S>::from(spread(f.instance(), i)) *
                       (ldexp(S(t.M2 * square(t.range)), -4) + ldexp(S(t.M1 * t.range), -2)));
            });
          });
        }}},
      wanted, all);
}

template <class S>
void add_self_bounded(const QueryAnalysis<S>& a, const Wanted& wanted,
                      std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.self_bounded";
  const QueryFacts& f = a.facts();
  const auto rung = [&](const std::string& name, auto&& item) {
    return rung_under<S>(id, name, {a.linear_loss(), f.some_choice, f.unique_optima}, item);
  };
  evaluate_wanted<S>(id,
                     {{"hessian",
                       [&] {
                         return rung("hessian", [&] {
                           const S beta = a.largest([&](std::size_t i) {
                             const QueryTerms<S>& t = a.terms(i);
                             return S(Scalar<S>::from(f.optimal().A2[i]) * t.range *
                                      (t.M2 * t.range + t.M1) / (t.c1 * t.delta));
                           });
                           return one_item<S>(a.hessian_norm(), beta * a.excess());
                         });
                       }},
                      {"gradient",
                       [&] {
                         return rung("gradient", [&] {
                           const S kappa = a.largest([&](std::size_t i) {
                             const QueryTerms<S>& t = a.terms(i);
                             return S(t.M1 * t.range / (t.c1 * t.delta));
                           });
                           return one_item<S>(
                               a.gradient_norm(),
                               sqrt_exact<S>(f.optimal().largest_A2()) * kappa * a.excess());
                         });
                       }}},
                     wanted, all);
}

}  // namespace

template <class S>
std::vector<RungValues<S>> attsvm_loss_claims(const QueryAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  add_sandwich(a, wanted, all);
  add_excess(a, wanted, all);
  add_loss_gap(a, wanted, all);
  add_smoothness(a, wanted, all);
  add_self_bounded(a, wanted, all);
  return all;
}

std::vector<ClaimInfo> attsvm_loss_claim_infos() {
  const std::string point = "a point W, a linear head", unique = "the optimal tokens are unique",
                    scores =
                        "c1 = |l'(gamma_opt)|, M1 = |l'(gamma_min)|, M2 = sup l'' between "
                        "them, Delta = least and R = largest score gap to the optimal token";
  return {
      {"attsvm.softmax_margin_sandwich",
       "Attention on the selected token tells the least logit gap, and so the direction: q_i = 1 - "
       "s_{i,alpha}.",
       {"a point W", "corr: feasible constraints that W separates"},
       {"lse_i = log(q_i/(1 - q_i)), m_it = <A_it, W>, Gamma = 1/||W_mm||_F"},
       {{"lower", "-lse_i <= min_t m_it"},
        {"upper", "min_t m_it <= log(T_i - 1) - lse_i"},
        {"corr", "min_i(-lse_i)/(Gamma ||W||_F) <= corr(W, W_mm)"}},
       "lower: T_i = 2; upper: all gaps of the input are equal; both: T_i = 2",
       "attsvm_loss"},
      {"attsvm.excess_bounds",
       "The excess loss of an input is bounded by its attention away from the optimal token, from "
       "both sides: e_i = l(gbar_i) - l(gamma_opt).",
       {point, "selection: the optimal tokens are unique"},
       {scores, "drop_i = gamma_opt - gbar_i, q_i = 1 - s_opt, E = (1/n) sum_i e_i"},
       {{"slope_lower", "c1_i drop_i <= e_i"},
        {"slope_upper", "e_i <= |l'(gbar_i)| drop_i"},
        {"gap_lower", "Delta_i q_i <= drop_i"},
        {"gap_upper", "drop_i <= R_i q_i"},
        {"selection", "q_i <= n E/(c1_i Delta_i)"}},
       "slope_*: correlation loss; gap_*: all scores but the best are equal; selection: both, and "
       "one input with a choice",
       "attsvm_loss"},
      {"attsvm.infeasible_loss_gap",
       "If no W separates the optimal tokens, the loss stays away from L_*: L(W) - L_*.",
       {point, unique, "the optimal tokens are infeasible"},
       {scores},
       {{"all", "(1/(2n)) min_i c1_i Delta_i <= L(W) - L_*"},
        {"support", "the minimum over the inputs of a Farkas vector only"}},
       "never at finite W",
       "attsvm_loss"},
      {"attsvm.smoothness",
       "The loss is smooth: ||hess L||_op.",
       {point},
       {scores, "diam_i = max ||x_t - x_u||"},
       {{"paper",
         "(1/n) sum_i |z_i|^2 (M2_i |v|^2 ||X_i||^4 + 3 M1_i |v| ||X_i||^3) (unverified wording)"},
        {"worst", "(1/n) sum_i |z_i|^2 diam_i^2 (M2_i R_i^2/16 + M1_i R_i/4)"}},
       "z = 0 or equal tokens",
       "attsvm_loss"},
      {"attsvm.self_bounded",
       "Curvature and gradient are bounded by the excess loss E = L(W) - L_*.",
       {point, unique},
       {scores, "A_i = max_t ||x_opt - x_t|| ||z_i||"},
       {{"hessian", "||hess L||_op <= E max_i A_i^2 (M2_i R_i^2 + M1_i R_i)/(c1_i Delta_i)"},
        {"gradient", "||grad L||_F <= E max_i A_i max_i M1_i R_i/(c1_i Delta_i)"}},
       "approached, not attained: n = 1, T = 2, correlation loss has ratio 1 - q",
       "attsvm_loss"},
  };
}

template std::vector<RungValues<DoubleBall>> attsvm_loss_claims(const QueryAnalysis<DoubleBall>&,
                                                                const Wanted&);
template std::vector<RungValues<Ball>> attsvm_loss_claims(const QueryAnalysis<Ball>&,
                                                          const Wanted&);

}  // namespace heed
