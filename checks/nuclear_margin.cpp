// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/nuclear_bracket.hpp"

#include <algorithm>
#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/margin/norms_coincide.hpp"
#include "heed/margin/nuclear_rank.hpp"

namespace heed::checks {
namespace {

// The max-margin problem of an instance: of each sample the last token is the query, the first one
// the selected token, and those between are the unselected ones (of two tokens, the query too).
MarginProblem problem_of(const MhaInstance& m) {
  QueryInstance q;
  q.Z = Matrix<Rational>(m.samples(), m.dim());
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const std::size_t last = m.X[i].rows() - 1;
    Matrix<Rational> tokens(last >= 2 ? last : last + 1, m.dim());
    for (std::size_t t = 0; t < tokens.rows(); ++t)
      for (std::size_t c = 0; c < m.dim(); ++c) tokens(t, c) = m.X[i](t, c);
    for (std::size_t c = 0; c < m.dim(); ++c) q.Z(i, c) = m.X[i](last, c);
    q.X.push_back(std::move(tokens));
    q.selected.push_back({0});
  }
  return margin_problem(q);
}

// Unit tokens and queries of the sizes (6, 8, 10), (15, 5, 20) and (20, 10, 20); the first token is
// the best one by a random direction.
Drawn draw_gaussian(Source& source, const SizeLimit&) {
  struct Size {
    std::size_t n, T, d;
  };
  const Size s = source.weighted<Size>({{1, {6, 8, 10}}, {1, {15, 5, 20}}, {1, {20, 10, 20}}});
  const auto unit = [&] {
    std::vector<double> x(s.d);
    double square = 0;
    for (double& c : x) {
      c = std::sqrt(-2 * std::log(source.unit())) * std::cos(6.283185307179586 * source.unit());
      square += c * c;
    }
    for (double& c : x) c /= std::sqrt(square);
    return x;
  };
  Drawn drawn;
  drawn.tags = {"d:" + std::to_string(s.d) + " n:" + std::to_string(s.n)};
  const std::vector<double> v = unit();
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<std::vector<double>> tokens;
    const int y = source.sign();
    std::size_t best = 0;
    double most = -INFINITY;
    for (std::size_t t = 0; t < s.T; ++t) {
      tokens.push_back(unit());
      double score = 0;
      for (std::size_t c = 0; c < s.d; ++c) score += y * v[c] * tokens[t][c];
      if (score > most) {
        most = score;
        best = t;
      }
    }
    std::swap(tokens[0], tokens[best]);
    tokens.push_back(unit());
    Matrix<Rational> X(s.T + 1, s.d);
    for (std::size_t t = 0; t <= s.T; ++t)
      for (std::size_t c = 0; c < s.d; ++c) X(t, c) = Rational(tokens[t][c]);
    drawn.instance.X.push_back(std::move(X));
    drawn.instance.y.push_back(y);
  }
  return drawn;
}

bool is_semidefinite(Matrix<Rational> a) {
  for (std::size_t k = 0; k < a.rows(); ++k) {
    if (a(k, k).sign() < 0) return false;
    for (std::size_t i = k + 1; i < a.rows(); ++i) {
      if (a(i, k).sign() == 0) continue;
      if (a(k, k).sign() == 0) return false;
      const Rational factor = a(i, k) / a(k, k);
      for (std::size_t j = k + 1; j < a.rows(); ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return true;
}

// Theorem T2 over the rationals.
void require_proved(const MarginProblem& problem, const MarginBracket& b) {
  Rational total;
  for (const Rational& l : b.lambda) {
    require(l.sign() >= 0, "a multiplier is negative");
    total += l;
  }
  const Matrix<Rational> M = combine(problem.inequalities, problem.Z, b.lambda);
  Matrix<Rational> shifted(M.cols(), M.cols());
  for (std::size_t i = 0; i < M.cols(); ++i)
    for (std::size_t j = 0; j < M.cols(); ++j) {
      if (i == j) shifted(i, i) = total * total;
      Rational dot;
      for (std::size_t r = 0; r < M.rows(); ++r) dot += M(r, i) * M(r, j);
      shifted(i, j) -= b.lo * b.lo * dot;
    }
  require(b.lo.sign() > 0 && is_semidefinite(std::move(shifted)), "lo is not proved");
  Matrix<Rational> W(M.rows(), M.cols());
  Rational squares, least;
  for (std::size_t j = 0; j < b.B->cols(); ++j)
    for (std::size_t r = 0; r < W.rows(); ++r)
      for (std::size_t c = 0; c < W.cols(); ++c) W(r, c) += (*b.B)(r, j) * (*b.C)(c, j);
  for (const Rational& x : b.B->entries()) squares += x * x;
  for (const Rational& x : b.C->entries()) squares += x * x;
  const std::vector<Rational> values = row_values(problem.inequalities, problem.Z, W);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (k == 0 || values[k] < least) least = values[k];
  require(least.sign() > 0 && squares <= Rational(2) * least * b.hi, "hi is not proved");
}

void gaussian(const MhaInstance& m, Tally& tally) {
  const MarginProblem problem = problem_of(m);
  for (const int digits : {9, 30}) {
    const NuclearMargin margin = nuclear_bracket(problem, digits);
    if (std::holds_alternative<Infeasibility>(margin.result)) {
      ++tally["infeasible"];
      return;
    }
    require(margin.reached, "not reached: " + std::to_string(digits) + " digits");
    const auto& bracket = std::get<MarginBracket>(margin.result);
    require_proved(problem, bracket);
    ++tally["to " + std::to_string(digits) + " digits, " + margin.method];
    const NuclearRank rank = nuclear_rank(problem, bracket);
    if (rank.best() && rank.best()->k == bracket.B->cols()) ++tally["rank of B is certified"];
  }
}

// Numbers so long that exact arithmetic with them is the whole cost.
bool is_long(const MarginProblem& problem) {
  const auto longest = [](const Matrix<Rational>& a) {
    std::size_t bits = 0;
    for (const Rational& x : a.entries())
      bits = std::max(
          {bits, mpz_sizeinbase(mpq_numref(x.raw()), 2), mpz_sizeinbase(mpq_denref(x.raw()), 2)});
    return bits;
  };
  return longest(problem.Z) > 1200 || longest(problem.inequalities.a) > 1200;
}

void any(const MhaInstance& m, Tally& tally) {
  const MarginProblem problem = problem_of(m);
  if (is_long(problem)) {
    ++tally["left out: long numbers"];
    return;
  }
  const NuclearMargin margin = nuclear_bracket(problem, 20);
  if (const auto* proof = std::get_if<Infeasibility>(&margin.result)) {
    Rational total;
    for (const Rational& l : proof->lambda) {
      require(l.sign() >= 0, "a multiplier is negative");
      total += l;
    }
    require(total.sign() > 0, "no multiplier");
    const Matrix<Rational> M = combine(problem.inequalities, problem.Z, proof->lambda);
    for (const Rational& x : M.entries()) require(x.sign() == 0, "not a Farkas vector");
    ++tally["infeasible"];
  } else if (const auto* bracket = std::get_if<MarginBracket>(&margin.result)) {
    require_proved(problem, *bracket);
    require(bracket->B->cols() <= std::min(problem.p(), problem.q()), "too many columns");
    ++tally[(margin.reached ? "reached: " : "not reached: ") + margin.method];
    const NormsCoincide same = norms_coincide(problem, false);
    if (certainly(same.coincide)) ++tally["norms coincide: " + same.reason];
  } else {
    ++tally[std::holds_alternative<NoConstraints>(margin.result) ? "no constraints" : "undecided"];
  }
}

}  // namespace

std::vector<Property> nuclear_margin_properties() {
  return {{"nuclear_margin.gaussian",
           "unit tokens and queries: the bracket is proved and as narrow as asked for",
           draw_gaussian,
           10,
           gaussian,
           {}},
          {"nuclear_margin.any",
           "whatever the tokens: brackets and Farkas vectors prove what they claim",
           draw_instance,
           300,
           any,
           {}}};
}

}  // namespace heed::checks
