// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "heed/margin/frobenius_bracket.hpp"

namespace heed::checks {
namespace {

// Tokens of the instance, queries from its read-out; in every third input a second token is tied.
QueryInstance queries(const MhaInstance& m) {
  QueryInstance q;
  q.X = m.X;
  q.Z = Matrix<Rational>(m.X.size(), m.dim());
  const Matrix<Rational>& U = m.weights->U[0];
  for (std::size_t i = 0; i < m.X.size(); ++i) {
    const std::size_t T = m.X[i].rows();
    for (std::size_t c = 0; c < m.dim(); ++c) q.Z(i, c) = U(i % U.rows(), c);
    q.selected.push_back({i % T});
    if (i % 3 == 2 && T > 2) q.selected.back().push_back((i + 1) % T);
  }
  return q;
}

Rational squared(const Matrix<Rational>& a) {
  Rational sum;
  for (const Rational& x : a.entries()) sum += x * x;
  return sum;
}

Matrix<Rational> combination(const MarginProblem& p, const std::vector<Rational>& lambda,
                             const std::vector<Rational>& mu) {
  for (const Rational& l : lambda) require(l.sign() >= 0, "negative multiplier");
  Matrix<Rational> M = combine(p.inequalities, p.Z, lambda);
  const Matrix<Rational> E = combine(p.equalities, p.Z, mu);
  for (std::size_t k = 0; k < M.size(); ++k) M.entries()[k] += E.entries()[k];
  return M;
}

Rational sum(const std::vector<Rational>& x) {
  Rational total;
  for (const Rational& v : x) total += v;
  return total;
}

// Theorem T1 from the numbers of the bracket alone; W = M.
void require_bracket(const MarginProblem& p, const MarginBracket& b) {
  const Matrix<Rational> M = combination(p, b.lambda, b.mu);
  const Rational norm2 = squared(M), total = sum(b.lambda);
  require(b.lo <= b.hi && b.lo * norm2 <= total * total, "lo is not proved");
  for (const Rational& e : row_values(p.equalities, p.Z, M))
    require(e.sign() == 0, "W does not meet an equality");
  for (const Rational& s : row_values(p.inequalities, p.Z, M))
    require(s.sign() > 0 && b.hi * s * s >= norm2, "hi is not proved");
}

void require_infeasible(const MarginProblem& p, const Infeasibility& proof) {
  require(squared(combination(p, proof.lambda, proof.mu)).sign() == 0, "combination is not 0");
  require(sum(proof.lambda).sign() > 0, "no multipliers");
}

std::optional<Rational> proved_optimum(const MarginProblem& p, const FrobeniusMargin& margin) {
  if (const auto* proof = std::get_if<Infeasibility>(&margin.result)) {
    require_infeasible(p, *proof);
    return std::nullopt;
  }
  if (std::holds_alternative<NoConstraints>(margin.result)) {
    require(p.rows() == 0, "rows were not seen");
    return std::nullopt;
  }
  const auto& bracket = std::get<MarginBracket>(margin.result);
  require_bracket(p, bracket);
  require(bracket.lo == bracket.hi, "not exact");
  require(bracket.lo == sum(bracket.lambda), "the optimum is not the sum of the multipliers");
  return bracket.lo;
}

void exact(const MhaInstance& m, Tally& tally) {
  const MarginProblem p = margin_problem(queries(m));
  const FrobeniusMargin margin = exact_frobenius(p);
  const std::optional<Rational> norm2 = proved_optimum(p, margin);
  ++tally[norm2 ? "feasible, " + margin.method : "not feasible, " + margin.method];
  const FrobeniusMargin enclosed = frobenius_bracket(p, 60);
  const auto* bracket = std::get_if<MarginBracket>(&enclosed.result);
  if (!norm2) {
    require(bracket == nullptr, "a bracket of an infeasible problem");
    return;
  }
  if (bracket == nullptr) {
    ++tally["no bracket"];
    require(!is_tame(m), "no bracket of a tame problem");
    return;
  }
  require_bracket(p, *bracket);
  require(bracket->lo <= *norm2 && *norm2 <= bracket->hi, "the bracket misses the optimum");
  const bool narrow = bracket->hi - bracket->lo <= bracket->lo * Rational::power_of_two(-60);
  ++tally[narrow ? "bracket, " + enclosed.method : "wide bracket"];
  require(narrow || !is_tame(m), "a wide bracket of a tame problem");
}

void symmetry(const MhaInstance& m, Tally& tally) {
  const QueryInstance q = queries(m);
  const auto optimum = [](const QueryInstance& instance) {
    const MarginProblem p = margin_problem(instance);
    return proved_optimum(p, exact_frobenius(p));
  };
  const std::optional<Rational> norm2 = optimum(q);
  ++tally[norm2 ? "feasible" : "not feasible"];
  QueryInstance moved = q;  // x -> x + c for the tokens of an input; z -> -2 z with x -> -x
  for (std::size_t i = 0; i < moved.X.size(); ++i) {
    for (std::size_t t = 0; t < moved.X[i].rows(); ++t)
      for (std::size_t c = 0; c < moved.dim(); ++c)
        moved.X[i](t, c) = -(moved.X[i](t, c) + Rational(static_cast<long>(i + c), 3));
    for (std::size_t c = 0; c < moved.dim(); ++c) moved.Z(i, c) *= Rational(-2);
  }
  const std::optional<Rational> quarter = optimum(moved);
  require(norm2.has_value() == quarter.has_value(), "feasible before a translation only");
  require(!norm2 || *norm2 == Rational(4) * *quarter, "scaling and translation change the optimum");
  QueryInstance twice = q;  // one unselected token an input a second time: the same problem
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    const Matrix<Rational>& x = q.X[i];
    const auto& selected = q.selected[i];
    std::size_t t = 0;
    while (t < x.rows() && std::find(selected.begin(), selected.end(), t) != selected.end()) ++t;
    if (t == x.rows()) continue;
    Matrix<Rational> longer(x.rows() + 1, x.cols());
    std::copy(x.entries().begin(), x.entries().end(), longer.entries().begin());
    std::copy(x.row(t), x.row(t) + x.cols(), longer.row(x.rows()));
    twice.X[i] = std::move(longer);
  }
  require(optimum(twice) == norm2, "repeated tokens change the optimum");
}

}  // namespace

std::vector<Property> frobenius_margin_properties() {
  return {{"frobenius_margin.exact",
           "the exact optimum, or infeasibility, is proved by its own numbers; brackets contain it",
           draw_instance,
           300,
           exact,
           {}},
          {"frobenius_margin.symmetry",
           "translated and scaled tokens and queries, and repeated tokens, change the optimum as "
           "they must",
           draw_instance,
           300,
           symmetry,
           {}}};
}

}  // namespace heed::checks
