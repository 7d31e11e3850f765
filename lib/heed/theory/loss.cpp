// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/loss.hpp"

#include <functional>

#include "heed/linalg/product.hpp"
#include "heed/numeric/logistic.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/theory/rungs.hpp"

namespace heed {
namespace {

Ternary nonnegative(double t) {
  return t >= 0 ? Ternary::certainly_true : Ternary::certainly_false;
}
template <class S>
Ternary nonnegative(const S& t) {
  const Ternary below = negative(t);
  if (certainly(below)) return Ternary::certainly_false;
  return certainly_not(below) ? Ternary::certainly_true : Ternary::unknown;
}

/// lhs and rhs as functions of the margin t and the loss terms there.
template <class S>
struct PointRung {
  const char* name;
  bool right_half_only;
  std::function<S(const S&, const LossTerms<S>&)> lhs, rhs;
};

template <class S>
std::vector<PointRung<S>> logistic_rungs() {
  using T = LossTerms<S>;
  const auto quarter_or_p = [](const S&, const T& l) { return min(ldexp(S(1), -2), l.slope); };
  const auto p = [](const S&, const T& l) { return l.slope; };
  const auto value = [](const S&, const T& l) { return l.value; };
  const auto decay = [](const S& t, const T&) { return S(exp(S(-t))); };
  return {
      {"b", false, p, [](const S&, const T& l) { return min(S(1), l.value); }},
      {"c", false, [](const S&, const T& l) { return l.second; }, quarter_or_p},
      {"c_loss", false, quarter_or_p, value},
      {"d", false, [](const S&, const T& l) { return S(l.value / (S(1) + l.value)); }, p},
      {"d_right", true, [](const S&, const T& l) { return S(l.value / (S(2) * log(S(2)))); }, p},
      {"e", false, [](const S&, const T& l) { return square(l.slope); },
       [](const S&, const T& l) { return ldexp(l.value, -1); }},
      {"f", false, [](const S&, const T& l) { return l.third; },
       [](const S&, const T& l) { return min(l.second, third_moment_constant<S>()); }},
      {"g_lower", true, [](const S& t, const T&) { return ldexp(S(exp(S(-t))), -1); }, value},
      {"g_upper", false, value, decay},
  };
}

template <class S>
std::vector<PointRung<S>> exponential_rungs() {
  using T = LossTerms<S>;
  const auto p = [](const S&, const T& l) { return l.slope; };
  const auto value = [](const S&, const T& l) { return l.value; };
  return {
      {"b", false, p, value},
      {"c", false, [](const S&, const T& l) { return l.second; }, p},
      {"d", false, [](const S&, const T& l) { return S(l.value / (S(1) + l.value)); }, p},
      {"f", false, [](const S&, const T& l) { return l.third; },
       [](const S&, const T& l) { return l.second; }},
  };
}

template <class S>
RungValues<S> at_all_margins(const std::string& id, const PointRung<S>& rung,
                             const LossValues<S>& a) {
  RungValues<S> r{id, rung.name, {}, {}, false, false, ""};
  const std::vector<S>& margins = a.margins;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (rung.right_half_only) {
      const Ternary included = nonnegative(margins[i]);
      r.complete = r.complete && included != Ternary::unknown;
      if (!certainly(included)) continue;
    }
    const LossTerms<S>& l = a.terms[i];
    r.items.push_back(
        {rung.lhs(margins[i], l), rung.rhs(margins[i], l), "sample " + std::to_string(i)});
  }
  if (rung.right_half_only) {
    r.hypotheses.push_back({"margin t >= 0", r.items.empty() ? "not proved" : "proved"});
    if (r.items.empty()) r.not_applicable = "no sample has a margin that is certainly >= 0";
  }
  return r;
}

template <class S>
std::vector<RungValues<S>> claims_of(const LossValues<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  const bool logistic = a.kind == Loss::logistic;
  for (const PointRung<S>& rung : logistic_rungs<S>()) {
    if (!wanted("loss.logistic", rung.name)) continue;
    if (logistic) {
      all.push_back(at_all_margins("loss.logistic", rung, a));
    } else {
      all.push_back({"loss.logistic",
                     rung.name,
                     {},
                     {{"the loss is logistic", "not proved"}},
                     false,
                     false,
                     "the loss is exponential"});
    }
  }
  if (logistic) {
    const S rhs = one_minus_exp_neg(a.loss);
    if (wanted("loss.logistic", "h"))
      all.push_back(with_difference(single_rung<S>("loss.logistic", "h", a.mean_slope, rhs),
                                    a.margins.size() == 1, "n = 1: both sides are p = 1 - e^-l",
                                    true));
    if (wanted("loss.logistic", "h_upper"))
      all.push_back(
          {"loss.logistic", "h_upper", {{rhs, min(S(1), a.loss), ""}}, {}, false, false, ""});
  }
  for (const PointRung<S>& rung : exponential_rungs<S>()) {
    if (!wanted("loss.exponential", rung.name)) continue;
    if (logistic) {
      all.push_back({"loss.exponential",
                     rung.name,
                     {},
                     {{"the loss is exponential", "not proved"}},
                     false,
                     false,
                     "the loss is logistic"});
    } else {
      RungValues<S> r = at_all_margins("loss.exponential", rung, a);
      r.reflexive = std::string(rung.name) != "d";
      all.push_back(std::move(r));
    }
  }
  return all;
}

// Phi of one sample, without the factor H^{-1/2}, for one head: sum_ts a_ts (u_t . x_s).
Ball head_value(const Matrix<Ball>& X, const Matrix<Ball>& U, const Matrix<Ball>& W) {
  const Matrix<Ball> Z = multiply_transposed(multiply(X, W), X);
  Ball phi;
  for (std::size_t t = 0; t < X.rows(); ++t) {
    std::size_t top = 0;
    for (std::size_t s = 1; s < X.rows(); ++s)
      if (approx::less(Z(t, top), Z(t, s))) top = s;
    Ball sum, weighted;
    for (std::size_t s = 0; s < X.rows(); ++s) {
      const Ball e = s == top ? Ball(1) : exp(Z(t, s) - Z(t, top));
      sum += e;
      weighted += e * dot(X.cols(), U.row(t), 1, X.row(s), 1);
    }
    phi += weighted / sum;
  }
  return phi;
}

}  // namespace

LossValues<Ball> loss_values(const MhaInstance& instance) {
  require_weights(instance);
  const auto convert = [](const Matrix<Rational>& m) {
    return map(m, [](const Rational& q) { return Ball(q); });
  };
  std::vector<Matrix<Ball>> X, U, W;
  for (const auto& x : instance.X) X.push_back(convert(x));
  for (const auto& u : instance.weights->U) U.push_back(convert(u));
  for (const auto& w : instance.weights->W) W.push_back(convert(w));
  const std::size_t n = X.size(), H = U.size();
  std::vector<Ball> by_head(n * H);
  parallel_for(n * H,
               [&](std::size_t k) { by_head[k] = head_value(X[k / H], U[k % H], W[k % H]); });
  const Ball root = sqrt(Ball(static_cast<int>(H))), count(static_cast<int>(n));
  LossValues<Ball> v{instance.loss, {}, {}, Ball(), Ball()};
  for (std::size_t i = 0; i < n; ++i) {
    Ball phi;
    for (std::size_t h = 0; h < H; ++h) phi += by_head[i * H + h];
    phi /= root;
    v.margins.push_back(instance.y[i] > 0 ? phi : -phi);
    v.terms.push_back(loss_terms_at(v.kind, v.margins.back()));
    v.loss += v.terms.back().value;
    v.mean_slope += v.terms.back().slope;
  }
  v.loss /= count;
  v.mean_slope /= count;
  return v;
}

template <class S>
std::vector<RungValues<S>> loss_claims(const MhaAnalysis<S>& a, const Wanted& wanted) {
  return claims_of<S>(
      {a.loss_kind(), a.model().margins(), a.model().loss_terms(), a.loss(), a.mean_slope()},
      wanted);
}

std::vector<RungValues<Ball>> loss_claims(const LossValues<Ball>& values, const Wanted& wanted) {
  return claims_of(values, wanted);
}

std::vector<ClaimInfo> loss_claim_infos() {
  return {
      {"loss.logistic",
       "The logistic loss l(t) = log(1 + e^-t) bounds its own derivatives; p = |l'(t)|, G the mean "
       "of p.",
       {"the loss is logistic"},
       {"1/(6 sqrt 3) = 0.0962250..."},
       {{"b", "p <= min(1, l)"},
        {"c", "l'' <= min(1/4, p)"},
        {"c_loss", "min(1/4, p) <= l"},
        {"d", "l/(1 + l) <= p"},
        {"d_right", "l/(2 log 2) <= p where t >= 0"},
        {"e", "p^2 <= l/2"},
        {"f", "|l'''| <= min(l'', 1/(6 sqrt 3))"},
        {"g_lower", "e^-t / 2 <= l where t >= 0"},
        {"g_upper", "l <= e^-t"},
        {"h", "G <= 1 - exp(-L)"},
        {"h_upper", "1 - exp(-L) <= min(1, L)"}},
       "c, d_right at t = 0; h for n = 1 or equal margins",
       "loss"},
      {"loss.exponential",
       "The exponential loss l(t) = e^-t equals its own derivatives in absolute value.",
       {"the loss is exponential"},
       {},
       {{"b", "p <= l"}, {"c", "l'' <= p"}, {"d", "l/(1 + l) <= p"}, {"f", "|l'''| <= l''"}},
       "b, c, f always: both sides are the same number",
       "loss"},
  };
}

template std::vector<RungValues<double>> loss_claims(const MhaAnalysis<double>&, const Wanted&);
template std::vector<RungValues<DoubleBall>> loss_claims(const MhaAnalysis<DoubleBall>&,
                                                         const Wanted&);
template std::vector<RungValues<Ball>> loss_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
