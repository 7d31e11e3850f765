// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_local_cone.hpp"

#include <algorithm>
#include <cmath>

#include "heed/theory/query_rungs.hpp"

namespace heed {
namespace {

bool is_support(const Rational& value) { return value == Rational(1); }

// alpha has the largest logit of every input at the given logits, exactly.
bool alpha_on_top(const QueryFacts& f, const std::vector<std::vector<Rational>>& logits) {
  for (std::size_t i = 0; i < f.inputs(); ++i)
    for (const Rational& a : logits[i])
      if (logits[i][f.selected().alpha[i]] < a) return false;
  return true;
}

// (1/n) sum |l'_i| s_alpha (S_sup Delta_loc - S_non N).
template <class S>
S state_bound(const QueryAnalysis<S>& a, const ConeConstants& c) {
  const SelectionFacts& f = a.facts().selected();
  std::vector<S> support(a.inputs(), S(0)), others(a.inputs(), S(0));
  for (std::size_t k = 0; k < f.values.size(); ++k) {
    const std::size_t i = f.problem.inequalities.query[k];
    const S& s =
        a.model().attention()[a.model().inputs().offset(i) + f.problem.inequalities.token[k]];
    (is_support(f.values[k]) ? support : others)[i] += s;
  }
  const S gain = Scalar<S>::from(c.delta_loc), loss = Scalar<S>::from(c.N);
  return a.mean([&](std::size_t i) {
    const S& s = a.model().attention()[a.model().inputs().offset(i) + f.alpha[i]];
    return S(a.model().loss_terms()[i].slope * s * (support[i] * gain - others[i] * loss));
  });
}

// 1 - mu <= corr(W, W_mm), decided exactly.
bool in_cone(const QueryFacts& f, const QueryPointFacts& p, const ConeConstants& c) {
  if (p.alignment.sign() <= 0) return false;
  const Rational bound = Rational(1) - c.mu;
  return bound * bound * p.norm2 * f.selected().norm2 <= p.alignment * p.alignment;
}

// An integer at least Gamma R_loc and 1, the same at every precision; nothing if it is too large.
template <class S>
std::optional<long> ray_length(const QueryAnalysis<S>& a, const ConeConstants& c) {
  const PrecisionScope scope(128);
  const QueryAnalysis<Ball> b(
      std::shared_ptr<const QueryFacts>(std::shared_ptr<void>(), &a.facts()),
      std::shared_ptr<const QueryPointFacts>(std::shared_ptr<void>(), a.point()));
  const double radius = std::ceil(approx::to_double(cone_radius(b, c).upper())) + 1;
  if (!(radius < 1e6)) return std::nullopt;
  return std::max(1L, static_cast<long>(radius));
}

}  // namespace

ConeConstants cone_constants(const QueryFacts& f) {
  const SelectionFacts& s = f.selected();
  ConeConstants c;
  c.dd = Rational(2);
  Rational most, gain, range;  // B, C_g, R_g
  std::optional<Rational> delta_loc;
  for (std::size_t i = 0; i < f.inputs(); ++i) {
    c.tokens = std::max(c.tokens, static_cast<long>(f.instance().X[i].rows()));
    if (f.counts(i)) range = std::max(range, f.score_facts()[i].range);
  }
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    const std::vector<Rational>& gamma = f.scores()[s.problem.inequalities.query[k]];
    const Rational gap =
        gamma[s.alpha[s.problem.inequalities.query[k]]] - gamma[s.problem.inequalities.token[k]];
    most = std::max(most, s.values[k]);
    if (is_support(s.values[k])) {
      ++c.support;
      delta_loc = delta_loc ? std::min(*delta_loc, gap) : gap;
    } else {
      ++c.others;
      c.dd = std::min(c.dd, s.values[k] - Rational(1));
      gain = std::max(gain, -gap);
    }
  }
  c.delta_loc = *delta_loc;
  c.N = most * gain + (most - Rational(1)) * range * Rational(c.tokens - 1);
  c.mu = c.dd * c.dd / (Rational(32) * s.largest_A2() * s.norm2);
  return c;
}

template <class S>
S cone_radius(const QueryAnalysis<S>& a, const ConeConstants& c) {
  if (c.others == 0 || c.N.sign() == 0) return S(0);
  const S slopes = a.largest([&](std::size_t i) { return a.terms(i).M1; }) /
                   a.least([&](std::size_t i) { return a.terms(i).c1; });
  const Rational exact = Rational(c.tokens) * Rational(c.tokens) * c.N * Rational(c.others) /
                         (c.delta_loc * Rational(c.support));
  return Scalar<S>::from(Rational(2) / c.dd) *
         max(log(S(2)), log(S(Scalar<S>::from(exact) * slopes)));
}

template <class S>
void add_local_cone(const QueryAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.local_cone";
  const QueryFacts& f = a.facts();
  const SelectionFacts& s = f.selected();
  const std::string single_text = "one selected token an input", top_text = "alpha leads at W",
                    cone_text = "W is in the cone", far_text = "||W|| >= R_loc",
                    length_text = "R_loc is below 10^6/Gamma";
  const Condition single = s.tied ? Condition::disproved(single_text, "further selected tokens")
                                  : Condition::proved(single_text);
  const bool applies = a.linear_loss().is_proved() && single.is_proved() &&
                       s.feasible.is_proved() && f.locally_optimal.is_proved();
  ConeConstants c;
  if (applies) c = cone_constants(f);
  const auto rung = [&](const std::string& name, std::initializer_list<Condition> extra,
                        auto&& items) {
    RungValues<S> r =
        rung_under<S>(id, name, {a.linear_loss(), single, s.feasible, f.locally_optimal},
                      [] { return std::vector<Item<S>>(); });
    if (!r.not_applicable.empty()) return r;
    const RungValues<S> more = rung_under<S>(id, name, extra, items);
    r.hypotheses.insert(r.hypotheses.end(), more.hypotheses.begin(), more.hypotheses.end());
    r.items = more.items;
    r.not_applicable = more.not_applicable;
    for (const Condition& e : extra)
      if (certainly_not(e.holds)) return r;
    for (const Condition& e : extra) r.complete = r.complete && e.holds != Ternary::unknown;
    return r;
  };
  const auto decided = [](const std::string& text, bool holds, const std::string& failure) {
    return holds ? Condition::proved(text) : Condition::disproved(text, failure);
  };
  evaluate_wanted<S>(
      id,
      {{"state",
        [&] {
          const bool top = applies && alpha_on_top(f, a.point()->logits);
          return rung("state", {decided(top_text, top, "alpha does not lead at W")},
                      [&] { return one_item<S>(state_bound(a, c), a.descent_along_margin(s)); });
        }},
       {"cone",
        [&] {
          Condition cone = Condition::open(cone_text, ""), far = Condition::open(far_text, "");
          if (applies) {
            cone = decided(cone_text, in_cone(f, *a.point(), c), "W is not in the cone");
            const S size = sqrt_exact<S>(a.point()->norm2) / sqrt_exact<S>(s.norm2);
            const Ternary holds = less_equal(cone_radius(a, c), size);
            far = certainly(holds)       ? Condition::proved(far_text)
                  : certainly_not(holds) ? Condition::disproved(far_text, "||W|| < R_loc")
                                         : Condition::open(far_text, "||W|| is about R_loc");
          }
          return rung("cone", {cone, far},
                      [&] { return one_item<S>(S(0), a.descent_along_margin(s)); });
        }},
       {"ray",
        [&] {
          const std::optional<long> length = applies ? ray_length(a, c) : std::nullopt;
          return rung("ray", {decided(length_text, length.has_value(), "R_loc is too large")}, [&] {
            std::vector<std::vector<Rational>> logits = s.logits;
            for (std::vector<Rational>& of_input : logits)
              for (Rational& x : of_input) x *= Rational(*length);
            return one_item<S>(S(0), a.descent(a.model_at(logits), s));
          });
        }}},
      wanted, all);
}

template void add_local_cone(const QueryAnalysis<DoubleBall>&, const Wanted&,
                             std::vector<RungValues<DoubleBall>>&);
template void add_local_cone(const QueryAnalysis<Ball>&, const Wanted&,
                             std::vector<RungValues<Ball>>&);
template DoubleBall cone_radius(const QueryAnalysis<DoubleBall>&, const ConeConstants&);
template Ball cone_radius(const QueryAnalysis<Ball>&, const ConeConstants&);

}  // namespace heed
