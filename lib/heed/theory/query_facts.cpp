// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/query_facts.hpp"

#include <algorithm>
#include <utility>

#include "heed/linalg/product.hpp"
#include "heed/margin/exact_frobenius.hpp"

namespace heed {
namespace {

Rational squared_distance(const Matrix<Rational>& x, std::size_t s, std::size_t t) {
  Rational sum;
  for (std::size_t c = 0; c < x.cols(); ++c) {
    const Rational difference = x(s, c) - x(t, c);
    sum += difference * difference;
  }
  return sum;
}

std::vector<Rational> constraint_sizes(const QueryInstance& q,
                                       const std::vector<std::size_t>& alpha) {
  std::vector<Rational> sizes;
  for (std::size_t i = 0; i < q.inputs(); ++i) {
    Rational farthest;
    for (std::size_t t = 0; t < q.X[i].rows(); ++t)
      farthest = std::max(farthest, squared_distance(q.X[i], alpha[i], t));
    sizes.push_back(farthest * dot(q.dim(), q.Z.row(i), 1, q.Z.row(i), 1));
  }
  return sizes;
}

Condition feasibility(const FrobeniusMargin& margin) {
  const std::string text = "the constraints are feasible";
  if (std::holds_alternative<MarginBracket>(margin.result)) return Condition::proved(text);
  if (std::holds_alternative<Infeasibility>(margin.result))
    return Condition::disproved(text, "the constraints are infeasible");
  if (std::holds_alternative<NoConstraints>(margin.result))
    return Condition::disproved(text, "there are no constraints");
  return Condition::open(text, std::get<MarginUndecided>(margin.result).reason);
}

SelectionFacts facts_of(const QueryInstance& q, std::optional<MarginBracket> nuclear) {
  SelectionFacts f;
  for (const std::vector<std::size_t>& s : q.selected) {
    f.alpha.push_back(s.front());
    f.tied = f.tied || s.size() > 1;
  }
  f.problem = margin_problem(q);
  f.frobenius = exact_frobenius(f.problem);
  f.nuclear = std::move(nuclear);
  f.feasible = feasibility(f.frobenius);
  f.A2 = constraint_sizes(q, f.alpha);
  if (!f.feasible.is_proved()) return f;
  const auto& bracket = std::get<MarginBracket>(f.frobenius.result);
  f.lambda = bracket.lambda;
  f.W = combine(f.problem.inequalities, f.problem.Z, bracket.lambda);
  if (!bracket.mu.empty()) {
    const Matrix<Rational> tied = combine(f.problem.equalities, f.problem.Z, bracket.mu);
    for (std::size_t k = 0; k < f.W.size(); ++k) f.W.data()[k] += tied.data()[k];
  }
  f.norm2 = squared_norm(f.W);
  f.values = row_values(f.problem.inequalities, f.problem.Z, f.W);
  f.logits = exact_logits(q, f.W);
  return f;
}

std::string input(std::size_t i) { return "input " + std::to_string(i); }

}  // namespace

Rational SelectionFacts::largest_A2() const {
  return A2.empty() ? Rational() : *std::max_element(A2.begin(), A2.end());
}

std::vector<std::vector<Rational>> exact_logits(const QueryInstance& q, const Matrix<Rational>& W) {
  const Matrix<Rational> keys = multiply_transposed(q.Z, W);
  std::vector<std::vector<Rational>> logits(q.inputs());
  for (std::size_t i = 0; i < q.inputs(); ++i)
    for (std::size_t t = 0; t < q.X[i].rows(); ++t)
      logits[i].push_back(dot(q.dim(), q.X[i].row(t), 1, keys.row(i), 1));
  return logits;
}

QueryFacts::QueryFacts(const QueryInstance& instance, std::optional<MarginBracket> nuclear)
    : instance_(instance), selected_(facts_of(instance, std::move(nuclear))) {
  const std::string choice = "some input has two tokens or more";
  some_choice = Condition::disproved(choice, "every input has one token");
  for (std::size_t i = 0; i < inputs(); ++i)
    if (counts(i)) some_choice = Condition::proved(choice);
  judge_scores();
  judge_optima();
}

void QueryFacts::judge_scores() {
  const std::string unique = "the optimal tokens are unique",
                    equal = "E: all scores but the optimal one are equal for every input",
                    local = "alpha is locally optimal";
  if (!instance_.v) {
    unique_optima = equal_scores = locally_optimal = Condition::open(unique, "no v");
    equal_scores.text = equal;
    locally_optimal.text = local;
    return;
  }
  scores_ = heed::scores(instance_);
  unique_optima = Condition::proved(unique);
  equal_scores = Condition::proved(equal);
  for (std::size_t i = 0; i < inputs(); ++i) {
    const std::vector<Rational>& gamma = scores_[i];
    ScoreFacts f;
    const auto best = std::max_element(gamma.begin(), gamma.end());
    f.opt = static_cast<std::size_t>(best - gamma.begin());
    f.best = *best;
    f.least = *std::min_element(gamma.begin(), gamma.end());
    f.range = f.best - f.least;
    bool first = true;
    Rational second;
    for (std::size_t t = 0; t < gamma.size(); ++t) {
      if (t == f.opt) continue;
      second = first ? gamma[t] : std::max(second, gamma[t]);
      first = false;
    }
    if (counts(i)) {
      f.delta = f.best - second;
      f.rest = second - f.least;
      if (f.delta.sign() == 0 && unique_optima.is_proved())
        unique_optima = Condition::disproved(unique, input(i) + " has two optimal tokens");
      if (f.rest.sign() != 0 && equal_scores.is_proved())
        equal_scores = Condition::disproved(equal, input(i) + " has different scores");
    }
    score_facts_.push_back(std::move(f));
  }
  if (!unique_optima.is_proved() && equal_scores.is_proved())
    equal_scores = Condition::disproved(equal, unique_optima.failure);
  if (!selected_.feasible.is_proved()) {
    locally_optimal = selected_.feasible;
    locally_optimal.text = local;
    return;
  }
  locally_optimal = Condition::proved(local);
  for (std::size_t k = 0; k < selected_.values.size(); ++k) {
    const std::size_t i = selected_.problem.inequalities.query[k],
                      t = selected_.problem.inequalities.token[k];
    if (selected_.values[k] == Rational(1) && scores_[i][selected_.alpha[i]] <= scores_[i][t]) {
      locally_optimal = Condition::disproved(
          local, "support token " + std::to_string(t) + " of " + input(i) + " scores no less");
      return;
    }
  }
}

void QueryFacts::judge_optima() {
  const std::string support = "S: every constraint of W_mm(opt) is active",
                    order = "C: scores and logits of W_mm(opt) are ordered alike";
  all_support = Condition::open(support, unique_optima.failure);
  comonotone = Condition::open(order, unique_optima.failure);
  if (!unique_optima.is_proved()) return;
  QueryInstance best = instance_;
  bool same = !selected_.tied;
  for (std::size_t i = 0; i < inputs(); ++i) {
    same = same && selected_.alpha[i] == score_facts_[i].opt;
    best.selected[i] = {score_facts_[i].opt};
  }
  if (!same) optimal_ = facts_of(best, std::nullopt);
  const SelectionFacts& f = optimal();
  if (!f.feasible.is_proved()) {
    all_support.failure = comonotone.failure = f.feasible.failure + " for alpha = opt";
    all_support.holds = comonotone.holds = f.feasible.holds;
    return;
  }
  all_support = Condition::proved(support);
  for (const Rational& value : f.values)
    if (value != Rational(1)) all_support = Condition::disproved(support, "a constraint is slack");
  comonotone = Condition::proved(order);
  for (std::size_t i = 0; i < inputs(); ++i)
    for (std::size_t t = 0; t < scores_[i].size(); ++t)
      for (std::size_t u = 0; u < t; ++u)
        if (comonotone.is_proved() && f.logits[i][t] != f.logits[i][u] &&
            scores_[i][t] != scores_[i][u] &&
            (f.logits[i][t] < f.logits[i][u]) != (scores_[i][t] < scores_[i][u]))
          comonotone =
              Condition::disproved(order, input(i) + " orders tokens " + std::to_string(u) +
                                              " and " + std::to_string(t) + " differently");
}

}  // namespace heed
