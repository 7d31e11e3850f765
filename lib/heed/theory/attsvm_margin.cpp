// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_margin.hpp"

#include <algorithm>
#include <map>

#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/exact_solve.hpp"
#include "heed/linalg/nuclear_norm.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/singular_values.hpp"
#include "heed/margin/direction.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/query_rungs.hpp"

namespace heed {
namespace {

constexpr std::size_t largest_exact_semidefinite = 12;

Matrix<Rational> times(const Rational& factor, const Matrix<Rational>& m) {
  return map(m, [&](const Rational& x) { return factor * x; });
}

Matrix<Rational> sum(const Matrix<Rational>& a, const Matrix<Rational>& b) {
  Matrix<Rational> c = a;
  for (std::size_t k = 0; k < c.size(); ++k) c.data()[k] += b.data()[k];
  return c;
}

Rational total(const std::vector<Rational>& x) {
  Rational s;
  for (const Rational& v : x) s += v;
  return s;
}

// sum lambda_k A_k + sum mu_j E_j.
Matrix<Rational> combination(const MarginProblem& p, const std::vector<Rational>& lambda,
                             const std::vector<Rational>& mu) {
  const Matrix<Rational> rows = combine(p.inequalities, p.Z, lambda);
  return mu.empty() ? rows : sum(rows, combine(p.equalities, p.Z, mu));
}

Matrix<Ball> in_balls(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return Ball(q); });
}

template <class S>
S from_ball(const Ball& x) {
  return S(x);
}

template <class S>
S hull_of(const Rational& lo, const Rational& hi) {
  return from_ball<S>(Ball::hull(Ball(lo), Ball(hi)));
}

template <class S>
S nuclear_norm_of(const Matrix<Rational>& m) {
  return from_ball<S>(nuclear_norm(in_balls(m)));
}

template <class S>
S spectral_norm_of(const Matrix<Rational>& m) {
  return from_ball<S>(singular_values(in_balls(m)).front());
}

// tau^2 I - M^T M >= 0, exactly; `unknown` where that would cost too much.
Ternary norm_at_most(const Matrix<Rational>& m, const Rational& tau) {
  if (m.cols() > largest_exact_semidefinite) return Ternary::unknown;
  Matrix<Rational> a = gram_of_columns(m);
  for (Rational& x : a.entries()) x = -x;
  for (std::size_t c = 0; c < a.rows(); ++c) a(c, c) += tau * tau;
  return is_positive_semidefinite(std::move(a)) ? Ternary::certainly_true
                                                : Ternary::certainly_false;
}

// What the families below ask again and again.
template <class S>
struct Setting {
  const QueryAnalysis<S>& a;
  const SelectionFacts& f;
  Condition nuclear, ties, separates, nonzero;

  explicit Setting(const QueryAnalysis<S>& analysis) : a(analysis), f(analysis.facts().selected()) {
    const std::string known = "a bracket of min ||W||_* is given",
                      sep = "W separates the selected tokens", moved = "W is not 0";
    nuclear = f.nuclear ? Condition::proved(known) : Condition::open(known, "no nuclear bracket");
    const QueryPointFacts* p = a.point();
    ties = p ? p->meets_equalities : a.has_point();
    separates = !p                 ? Condition::open(sep, "no W")
                : p->mu.sign() > 0 ? Condition::proved(sep)
                                   : Condition::disproved(sep, "W does not separate");
    nonzero = !p                    ? Condition::open(moved, "no W")
              : p->norm2.sign() > 0 ? Condition::proved(moved)
                                    : Condition::disproved(moved, "W = 0");
  }

  const Matrix<Rational>& W() const { return a.point()->point.weights.W; }
  Matrix<Rational> uniform() const {
    return combine(f.problem.inequalities, f.problem.Z,
                   std::vector<Rational>(f.problem.rows(), Rational(1)));
  }
  Rational rows() const { return Rational(static_cast<long>(f.problem.rows())); }
  S norm_mm() const { return sqrt_exact<S>(f.norm2); }
};

enum class Side { holds, fails, equal, open };

template <class S>
Side side_of(const Item<S>& i) {
  const Ball lhs = to_ball(i.lhs), rhs = to_ball(i.rhs);
  const VerdictKind kind = compare(lhs, rhs).kind;
  if (i.exact || kind == VerdictKind::proved) return Side::holds;
  if (kind == VerdictKind::refuted) return Side::fails;
  return agreeing_digits(lhs, rhs, 60) >= 60 ? Side::equal : Side::open;
}

// A rung about N = ||W*||_*, of which a bracket is known; `item` is monotone in N. Where equality lies
// in the bracket, no precision will settle it.
template <class S, class F>
RungValues<S> rung_in_bracket(const std::string& id, const std::string& rung,
                              std::initializer_list<Condition> conditions, const SelectionFacts& f,
                              F&& item) {
  RungValues<S> r = rung_under<S>(id, rung, conditions, [&] {
    return std::vector<Item<S>>{item(hull_of<S>(f.nuclear->lo, f.nuclear->hi))};
  });
  r.bracketed = f.nuclear && f.nuclear->lo < f.nuclear->hi;
  if (!r.not_applicable.empty() || side_of(r.items.front()) != Side::open) return r;
  const Side at_lo = side_of(item(S(Scalar<S>::from(f.nuclear->lo)))),
             at_hi = side_of(item(S(Scalar<S>::from(f.nuclear->hi))));
  if (at_lo == Side::open || at_hi == Side::open) return r;
  if (at_lo == at_hi) {
    r.items.front().exact = at_lo == Side::holds;
    return r;
  }
  r.items.clear();
  r.hypotheses.push_back({"the bracket of ||W*||_* decides", "not proved"});
  r.not_applicable = "equality lies in the bracket of ||W*||_*";
  return r;
}

template <class S>
void add_dual_frobenius(const Setting<S>& s, const Wanted& wanted,
                        std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.dual_frobenius";
  const SelectionFacts& f = s.f;
  const auto rung = [&](const std::string& name, auto&& sides) {
    return rung_under<S>(id, name, {f.feasible}, [&] {
      const std::pair<Rational, Rational> x = sides();
      return std::vector<Item<S>>{exact_item<S>(x.first, x.second)};
    });
  };
  const auto least = [](const std::vector<Rational>& x) {
    return *std::min_element(x.begin(), x.end());
  };
  using Sides = std::pair<Rational, Rational>;
  evaluate_wanted<S>(
      id,
      {{"primal", [&] { return rung("primal", [&] { return Sides(1, least(f.values)); }); }},
       {"dual", [&] { return rung("dual", [&] { return Sides(0, least(f.lambda)); }); }},
       {"gap", [&] { return rung("gap", [&] { return Sides(f.norm2, total(f.lambda)); }); }}},
      wanted, all);
}

template <class S>
void add_dual_nuclear(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.dual_nuclear";
  const SelectionFacts& f = s.f;
  const auto rung = [&](const std::string& name, auto&& item) {
    return rung_under<S>(id, name, {f.feasible, s.nuclear},
                         [&] { return std::vector<Item<S>>{item(*f.nuclear)}; });
  };
  evaluate_wanted<S>(
      id,
      {{"dual",
        [&] {
          return rung("dual", [&](const MarginBracket& b) {
            return exact_item<S>(Rational(), *std::min_element(b.lambda.begin(), b.lambda.end()));
          });
        }},
       {"lower",
        [&] {
          return rung("lower", [&](const MarginBracket& b) {
            const Matrix<Rational> M = combination(f.problem, b.lambda, b.mu);
            const Rational sigma = total(b.lambda);
            const bool proved = b.lo.sign() <= 0 || certainly(norm_at_most(M, sigma / b.lo));
            return decided_item<S>(Scalar<S>::from(b.lo) * spectral_norm_of<S>(M),
                                   Scalar<S>::from(sigma), proved);
          });
        }},
       {"upper",
        [&] {
          return rung("upper", [&](const MarginBracket& b) {
            if (!b.B || !b.C) return exact_item<S>(b.hi, b.hi);
            const Matrix<Rational> W = multiply_transposed(*b.B, *b.C);
            const Rational mu = least_row_value(f.problem, W),
                           size = squared_norm(*b.B) + squared_norm(*b.C);
            return exact_item<S>(size / (Rational(2) * mu), b.hi);
          });
        }},
       {"weak_duality",
        [&] {
          return rung("weak_duality",
                      [&](const MarginBracket& b) { return exact_item<S>(b.lo, b.hi); });
        }}},
      wanted, all);
}

template <class S>
void add_cert_margin(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.cert_margin";
  const SelectionFacts& f = s.f;
  const QueryWeights* w = s.a.point() ? &s.a.point()->point.weights : nullptr;
  const std::string text = "factors K, Q are given";
  const Condition factors =
      w && w->K && w->Q ? Condition::proved(text) : Condition::open(text, w ? "no K, Q" : "no W");
  evaluate_wanted<S>(
      id,
      {{"frobenius_lower",
        [&] {
          return rung_under<S>(id, "frobenius_lower", {s.separates, f.feasible, s.ties}, [&] {
            const QueryPointFacts& p = *s.a.point();
            return std::vector<Item<S>>{
                exact_item<S>(p.mu * p.mu / p.norm2, Rational(1) / f.norm2)};
          });
        }},
       {"frobenius_upper",
        [&] {
          return rung_under<S>(id, "frobenius_upper", {f.feasible}, [&] {
            return std::vector<Item<S>>{exact_item<S>(
                Rational(1) / f.norm2, squared_norm(s.uniform()) / (s.rows() * s.rows()))};
          });
        }},
       {"nuclear_lower",
        [&] {
          return rung_in_bracket<S>(
              id, "nuclear_lower", {s.separates, f.feasible, s.ties, factors, s.nuclear}, f,
              [&](const S& norm) {
                const Rational bound =
                    Rational(2) * s.a.point()->mu / (squared_norm(*w->K) + squared_norm(*w->Q));
                return decided_item<S>(Scalar<S>::from(bound), S(1) / norm,
                                       bound * f.nuclear->hi <= Rational(1));
              });
        }},
       {"nuclear_upper",
        [&] {
          const S bound = spectral_norm_of<S>(s.uniform()) / Scalar<S>::from(s.rows());
          return rung_in_bracket<S>(id, "nuclear_upper", {f.feasible, s.nuclear}, f,
                                    [&](const S& norm) {
                                      return Item<S>{S(1) / norm, bound, ""};
                                    });
        }}},
      wanted, all);
}

template <class S>
void add_cert_ball(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.cert_ball";
  const SelectionFacts& f = s.f;
  // ||W/mu - W_mm||^2 against ||W/mu||^2 - (the dual value of some multipliers).
  const auto rung = [&](const std::string& name, auto&& dual) {
    return rung_under<S>(id, name, {s.separates, f.feasible, s.ties}, [&] {
      const Rational inverse = Rational(1) / s.a.point()->mu;
      const Rational distance2 = squared_norm(sum(times(inverse, s.W()), times(Rational(-1), f.W)));
      return std::vector<Item<S>>{
          exact_item<S>(distance2, s.a.point()->norm2 * inverse * inverse - dual())};
    });
  };
  evaluate_wanted<S>(
      id,
      {{"optimal", [&] { return rung("optimal", [&] { return f.norm2; }); }},
       {"uniform",
        [&] {
          return rung("uniform", [&] { return s.rows() * s.rows() / squared_norm(s.uniform()); });
        }}},
      wanted, all);
}

template <class S>
void add_cert_infeasible(const Setting<S>& s, const Wanted& wanted,
                         std::vector<RungValues<S>>& all) {
  const std::string id = "attsvm.cert_infeasible", text = "there is a Farkas vector";
  const SelectionFacts& f = s.f;
  const auto* farkas = std::get_if<Infeasibility>(&f.frobenius.result);
  const Condition infeasible =
      farkas ? Condition::proved(text)
             : Condition::disproved(text, f.feasible.is_proved() ? "the constraints are feasible"
                                                                 : f.feasible.failure);
  evaluate_wanted<S>(
      id,
      {{"certificate",
        [&] {
          return rung_under<S>(id, "certificate", {infeasible}, [&] {
            // lambda / sum lambda, so that the vector is not 0
            const Rational norm2 = squared_norm(combination(f.problem, farkas->lambda, farkas->mu));
            const Rational sigma = total(farkas->lambda);
            return std::vector<Item<S>>{exact_item<S>(norm2 / (sigma * sigma), Rational())};
          });
        }},
       {"point",
        [&] {
          return rung_under<S>(id, "point", {s.a.has_point(), infeasible, s.ties}, [&] {
            return std::vector<Item<S>>{exact_item<S>(s.a.point()->mu, Rational())};
          });
        }}},
      wanted, all);
}

template <class S>
void add_correlation(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const SelectionFacts& f = s.f;
  const auto norm = [&] { return sqrt_exact<S>(s.a.point()->norm2); };
  const auto correlation = [&] {
    return S(Scalar<S>::from(s.a.point()->alignment) / (norm() * s.norm_mm()));
  };
  std::string id = "attsvm.cert_correlation";
  evaluate_wanted<S>(
      id,
      {{"cauchy",
        [&] {
          return rung_under<S>(id, "cauchy", {s.a.has_point(), f.feasible, s.nonzero}, [&] {
            const QueryPointFacts& p = *s.a.point();
            return std::vector<Item<S>>{decided_item<S>(
                abs(correlation()), S(1), p.alignment * p.alignment <= p.norm2 * f.norm2)};
          });
        }}},
      wanted, all);
  id = "attsvm.corr_from_margin";
  evaluate_wanted<S>(
      id,
      {{"frobenius",
        [&] {
          return rung_under<S>(id, "frobenius", {s.a.has_point(), f.feasible, s.nonzero, s.ties},
                               [&] {
                                 const QueryPointFacts& p = *s.a.point();
                                 return std::vector<Item<S>>{
                                     decided_item<S>(Scalar<S>::from(p.mu) * s.norm_mm() / norm(),
                                                     correlation(), p.mu * f.norm2 <= p.alignment)};
                               });
        }},
       {"nuclear",
        [&] {
          std::optional<S> size;  // ||W||_*
          return rung_in_bracket<S>(
              id, "nuclear", {s.a.has_point(), f.feasible, s.nonzero, s.ties, s.nuclear}, f,
              [&](const S& bound) {
                if (!size) size = nuclear_norm_of<S>(s.W());
                const Rational& mu = s.a.point()->mu;
                return decided_item<S>(Scalar<S>::from(mu) * bound / *size, S(1), mu.sign() <= 0);
              });
        }}},
      wanted, all);
}

// The rows a_k and queries z of all constraints, each input's rows apart.
struct Spans {
  std::map<std::size_t, Matrix<Rational>> rows;  // by input
  Matrix<Rational> differences, queries;

  explicit Spans(const MarginProblem& p) {
    std::map<std::size_t, std::vector<const Rational*>> by_input;
    for (const RankOneRows* r : {&p.inequalities, &p.equalities})
      for (std::size_t k = 0; k < r->size(); ++k) by_input[r->query[k]].push_back(r->a.row(k));
    std::vector<const Rational*> every, z;
    for (const auto& [i, list] : by_input) {
      rows.emplace(i, gather(list, p.p()));
      every.insert(every.end(), list.begin(), list.end());
      z.push_back(p.Z.row(i));
    }
    differences = gather(every, p.p());
    queries = gather(z, p.q());
  }

  static Matrix<Rational> gather(const std::vector<const Rational*>& rows, std::size_t cols) {
    Matrix<Rational> m(rows.size(), cols);
    for (std::size_t r = 0; r < rows.size(); ++r) std::copy(rows[r], rows[r] + cols, m.row(r));
    return m;
  }
};

bool all_zero(const Matrix<Rational>& m) {
  return std::all_of(m.entries().begin(), m.entries().end(),
                     [](const Rational& x) { return x.sign() == 0; });
}

Condition rank_one_condition(const Spans& spans, std::size_t d) {
  const std::string text = "d = 1, or all queries or all token differences are collinear";
  if (d == 1 || exact_rank(spans.queries) <= 1 || exact_rank(spans.differences) <= 1)
    return Condition::proved(text);
  return Condition::disproved(text, "neither queries nor token differences are collinear");
}

Condition orthogonal_condition(const Spans& spans) {
  const std::string text =
      "queries of different inputs are orthogonal, and so are their token differences";
  std::vector<const Matrix<Rational>*> rows;
  for (const auto& entry : spans.rows) rows.push_back(&entry.second);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t q = spans.queries.cols();
      if (dot(q, spans.queries.row(i), 1, spans.queries.row(j), 1).sign() != 0)
        return Condition::disproved(text, "two queries are not orthogonal");
      if (!all_zero(multiply_transposed(*rows[i], *rows[j])))
        return Condition::disproved(text, "token differences of two inputs are not orthogonal");
    }
  return Condition::proved(text);
}

template <class S>
void add_norms(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  if (!any_wanted(wanted, "attsvm.norm_order", {"solution", "lower", "upper"}) &&
      !any_wanted(wanted, "attsvm.norms_coincide", {"rank_one", "orthogonal"}))
    return;
  const SelectionFacts& f = s.f;
  const Spans spans(f.problem);
  const Condition rank_one = rank_one_condition(spans, f.problem.p()),
                  orthogonal = orthogonal_condition(spans);
  std::string id = "attsvm.norm_order";
  // Where W_mm is a nuclear solution of rank one, ||W*||_* = ||W_mm||_F exactly.
  const auto order = [&](const std::string& name, auto&& lhs, auto&& rhs) {
    return rung_in_bracket<S>(id, name, {f.feasible, s.nuclear}, f, [&](const S& bracket) {
      const S gamma_n = S(1) / (rank_one.is_proved() ? s.norm_mm() : bracket);
      return decided_item<S>(lhs(gamma_n), rhs(gamma_n), rank_one.is_proved());
    });
  };
  const auto gamma_f = [&](const S&) { return S(S(1) / s.norm_mm()); };
  const auto gamma_n = [](const S& x) { return x; };
  evaluate_wanted<S>(id,
                     {{"solution",
                       [&] {
                         const S norm = f.feasible.is_proved() ? nuclear_norm_of<S>(f.W) : S(1);
                         return order(
                             "solution", [&](const S&) { return S(S(1) / norm); }, gamma_n);
                       }},
                      {"lower", [&] { return order("lower", gamma_n, gamma_f); }},
                      {"upper",
                       [&] {
                         const S root = sqrt(S(static_cast<int>(exact_rank(f.W))));
                         return order("upper", gamma_f, [&](const S& x) { return S(root * x); });
                       }}},
                     wanted, all);
  id = "attsvm.norms_coincide";
  evaluate_wanted<S>(id,
                     {{"rank_one",
                       [&] {
                         return rung_under<S>(id, "rank_one", {f.feasible, rank_one}, [&] {
                           return std::vector<Item<S>>{exact_item<S>(
                               f.norm2 * f.norm2, squared_norm(gram_of_columns(f.W)))};
                         });
                       }},
                      {"orthogonal",
                       [&] {
                         return rung_under<S>(id, "orthogonal", {f.feasible, orthogonal}, [&] {
                           const MarginProblem& p = f.problem;
                           std::vector<Item<S>> items;
                           for (const auto& [i, rows] : spans.rows) {
                             // W_i = P_i W_mm, the part of input i, has squared norm <W_i, W_mm>.
                             Rational lambda, norm2;
                             for (std::size_t k = 0; k < p.rows(); ++k)
                               if (p.inequalities.query[k] == i) {
                                 lambda += f.lambda[k];
                                 norm2 += f.lambda[k] * f.values[k];
                               }
                             items.push_back(exact_item<S>(norm2, lambda, input_name(i)));
                           }
                           return items;
                         });
                       }}},
                     wanted, all);
}

template <class S>
void add_ranks(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const SelectionFacts& f = s.f;
  const std::string id = "attsvm.rank_bound";
  const auto rung = [&](const std::string& name, auto&& bound) {
    return rung_under<S>(id, name, {f.feasible}, [&] {
      return std::vector<Item<S>>{exact_item<S>(Rational(static_cast<long>(exact_rank(f.W))),
                                                Rational(static_cast<long>(bound())))};
    });
  };
  evaluate_wanted<S>(
      id,
      {{"shape",
        [&] { return rung("shape", [&] { return std::min(f.problem.p(), f.problem.Z.rows()); }); }},
       {"spans",
        [&] {
          return rung("spans", [&] {
            const Spans spans(f.problem);
            return std::min(exact_rank(spans.queries), exact_rank(spans.differences));
          });
        }},
       {"inputs",
        [&] {
          return rung("inputs", [&] {
            std::vector<bool> used(f.problem.Z.rows());
            for (std::size_t k = 0; k < f.lambda.size(); ++k)
              if (f.lambda[k].sign() > 0) used[f.problem.inequalities.query[k]] = true;
            for (std::size_t i : f.problem.equalities.query) used[i] = true;
            return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
          });
        }}},
      wanted, all);
}

// For k with sigma_{k+1}(S) < 1: sum_{j > k} sigma_j(W) <= (||W||_* - lo) / (1 - sigma_{k+1}(S)) for a
// feasible W, S = sum lambda A scaled so that ||S||_2 <= 1 and the dual value is lo.
template <class S>
std::vector<Item<S>> tails(const MarginBracket& b, const MarginProblem& p,
                           const Matrix<Rational>& W, const Ball& norm_above) {
  const Rational scale = b.lo / total(b.lambda);
  const std::vector<Ball> sigma = singular_values(
                              in_balls(times(scale, combination(p, b.lambda, b.mu)))),
                          tau = singular_values(in_balls(W));
  const Ball gap = norm_above - Ball(b.lo);
  std::vector<Item<S>> items;
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    const Ball slack = Ball(1) - sigma[k];
    if (!certainly(positive(slack))) continue;
    Ball tail;
    for (std::size_t j = k; j < tau.size(); ++j) tail += tau[j];
    items.push_back({from_ball<S>(tail), from_ball<S>(gap / slack), "k = " + std::to_string(k)});
  }
  return items;
}

template <class S>
void add_nuclear_ranks(const Setting<S>& s, const Wanted& wanted, std::vector<RungValues<S>>& all) {
  const SelectionFacts& f = s.f;
  const std::string id = "attsvm.nuclear_rank_certificate",
                    text = "the dual matrix has a singular value below 1";
  // Whether there is any such k does not depend on the point.
  const auto rung = [&](const std::string& name, std::initializer_list<Condition> conditions,
                        auto&& items) {
    RungValues<S> r = rung_under<S>(id, name, conditions, items);
    if (r.not_applicable.empty()) {
      const bool some = !r.items.empty();
      r.hypotheses.push_back({text, some ? "proved" : "not proved"});
      if (!some) r.not_applicable = "no singular value of the dual matrix is proved below 1";
    }
    return r;
  };
  const bool factored = f.nuclear && f.nuclear->B && f.nuclear->C && f.nuclear->lo.sign() > 0;
  const Condition solved =
      factored ? Condition::proved("the bracket has a positive lower end and a feasible W")
               : Condition::open("the bracket has a positive lower end and a feasible W",
                                 f.nuclear ? "the bracket has no W" : "no nuclear bracket");
  evaluate_wanted<S>(
      id,
      {{"bracket",
        [&] {
          return rung("bracket", {f.feasible, s.nuclear, solved}, [&] {
            const Matrix<Rational> W = multiply_transposed(*f.nuclear->B, *f.nuclear->C);
            const Rational mu = least_row_value(f.problem, W);
            return tails<S>(*f.nuclear, f.problem, times(Rational(1) / mu, W), Ball(f.nuclear->hi));
          });
        }},
       {"point",
        [&] {
          return rung("point", {s.separates, f.feasible, s.ties, s.nuclear, solved}, [&] {
            const Matrix<Rational> W = times(Rational(1) / s.a.point()->mu, s.W());
            return tails<S>(*f.nuclear, f.problem, W, nuclear_norm(in_balls(W)));
          });
        }}},
      wanted, all);
}

}  // namespace

template <class S>
std::vector<RungValues<S>> attsvm_margin_claims(const QueryAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  const Setting<S> s(a);
  add_dual_frobenius(s, wanted, all);
  add_dual_nuclear(s, wanted, all);
  add_cert_margin(s, wanted, all);
  add_cert_ball(s, wanted, all);
  add_cert_infeasible(s, wanted, all);
  add_correlation(s, wanted, all);
  add_norms(s, wanted, all);
  add_ranks(s, wanted, all);
  add_nuclear_ranks(s, wanted, all);
  return all;
}

template std::vector<RungValues<DoubleBall>> attsvm_margin_claims(const QueryAnalysis<DoubleBall>&,
                                                                  const Wanted&);
template std::vector<RungValues<Ball>> attsvm_margin_claims(const QueryAnalysis<Ball>&,
                                                            const Wanted&);

}  // namespace heed
