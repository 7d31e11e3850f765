// SPDX-License-Identifier: Apache-2.0
// Named instances: D1, D2 and D3 of proofs-notes/attsvm_landscape.md, and the counterexample of
// fixture 15.
#include <catch2/catch.hpp>

#include "heed/linalg/exact_solve.hpp"
#include "heed/linalg/product.hpp"
#include "heed/margin/direction.hpp"
#include "unit/margin/support.hpp"
#include "unit/theory/query_claims.hpp"

using namespace heed;
using namespace heed::test;

namespace {

struct At {
  std::shared_ptr<const QueryFacts> facts;
  std::shared_ptr<const QueryPointFacts> point;
  QueryAnalysis<Ball> analysis;

  At(const QueryInstance& q, const QueryPoint& p)
      : facts(std::make_shared<const QueryFacts>(q)),
        point(std::make_shared<const QueryPointFacts>(*facts, p)),
        analysis(facts, point) {}
};

bool near(const Ball& x, double expected, double relative = 1e-4) {
  return std::abs(approx::to_double(x) - expected) <= relative * std::abs(expected) &&
         x.has_relative_digits(12);
}

// W = sum beta_k A_k with the logit gaps m.
Matrix<Rational> in_span_with_gaps(const QueryFacts& facts, const std::vector<Rational>& m) {
  const MarginProblem& p = facts.selected().problem;
  Matrix<Rational> gram(p.rows(), p.rows());
  for (std::size_t k = 0; k < p.rows(); ++k) {
    std::vector<Rational> unit(p.rows());
    unit[k] = Rational(1);
    const auto row = row_values(p.inequalities, p.Z, combine(p.inequalities, p.Z, unit));
    for (std::size_t l = 0; l < p.rows(); ++l) gram(k, l) = row[l];
  }
  return combine(p.inequalities, p.Z, *solve_exactly(gram, m));
}

}  // namespace

TEST_CASE("D1: domination by the excess fails where theta < 0, its signed form holds") {
  const QueryInstance q = instance_d1();
  struct Row {
    QueryLoss loss;
    double descent, bound, drop;
  };
  for (const Row& r : {Row{QueryLoss::logistic, -0.0027467, -5.501e-4, 0.060428},
                       Row{QueryLoss::exponential, -0.0027772, -5.532e-4, 0.061101},
                       Row{QueryLoss::correlation, -0.2500, 0, 5.5000}}) {
    const QueryPoint p = query_point(r.loss, rational_matrix({{"-20", "0"}, {"-20", "0"}}));
    const At at(q, p);
    CHECK(at.facts->optimal().norm2 == Rational(1));
    CHECK(at.facts->score_facts()[0].delta == Rational(5));
    const Ball theta = domination_theta(at.analysis), excess = at.analysis.excess(),
               descent = at.analysis.descent_along_margin(at.facts->optimal());
    CHECK(near(theta, -0.05, 1e-4));
    CHECK(near(descent, r.descent));
    if (r.bound != 0) {
      CHECK(near(theta * excess, r.bound));
      CHECK(certainly(less(descent, theta * excess)));  // the inequality with E is false here
    }
    const QueryTerms<Ball>& t = at.analysis.terms(0);
    CHECK(near(t.slope * t.drop, r.drop));
    const auto all = query_outcomes(at.facts, &p);
    const std::string id = "attsvm.gradient_domination";
    CHECK(outcome(all, id, "excess").kind == VerdictKind::not_applicable);
    CHECK(outcome(all, id, "excess").reason == "theta < 0");
    CHECK(outcome(all, id, "signed").kind == VerdictKind::proved);
    CHECK(outcome(all, id, "norm").kind == VerdictKind::proved);
    CHECK(outcome(all, id, "comonotone").kind == VerdictKind::not_applicable);
    CHECK(outcome(all, "attsvm.no_stationary_points", "gap").reason ==
          "input 0 orders tokens 1 and 2 differently");
  }
}

TEST_CASE("D2: the start condition holds, the step is too long, and one step goes astray") {
  const QueryInstance q = query_instance("15_counterexample_global");
  const QueryFacts facts(q);
  const QueryPoint p =
      query_point(QueryLoss::correlation, in_span_with_gaps(facts, {Rational(4), Rational(8)}));
  const At at(q, p);
  const QueryAnalysis<Ball>& a = at.analysis;
  // Qbar(E) = max_i n E / (c1 Delta), as T = 2 leaves no R'.
  const Ball n(2), E = a.excess();
  const Ball qbar =
      a.largest([&](std::size_t i) { return Ball(n * E / (a.terms(i).c1 * a.terms(i).delta)); });
  CHECK(near(qbar, 0.3601, 2e-4));
  // g0 = Gamma (1 - Qbar) - (1/2) eta beta exp(A kappa_g eta) with eta = 100.
  const Ball A = sqrt(Ball(at.facts->optimal().largest_A2()));
  const Ball beta = a.largest([&](std::size_t i) {
    const QueryTerms<Ball>& t = a.terms(i);
    return Ball(Ball(at.facts->optimal().A2[i]) * t.range * (t.M2 * t.range + t.M1) /
                (t.c1 * t.delta));
  });
  const Ball gamma = Ball(1) / sqrt(Ball(at.facts->optimal().norm2));
  const Ball g0 = gamma * (Ball(1) - qbar) - Ball(50) * beta * exp(A * Ball(100));
  CHECK(certainly(negative(g0)));
  // W_1 = W_0 - 100 grad L / ||grad L||.
  const Matrix<Ball> G = a.model().gradient();
  std::vector<Ball> moved;
  const MarginProblem& problem = at.facts->selected().problem;
  for (std::size_t k = 0; k < problem.rows(); ++k) {
    Ball gap;
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t c = 0; c < 2; ++c)
        gap += Ball(problem.inequalities.a(k, r) * problem.Z(problem.inequalities.query[k], c)) *
               (Ball(p.weights.W(r, c)) - Ball(100) * G(r, c) / a.gradient_norm());
    moved.push_back(gap);
  }
  CHECK(near(moved[0], 104.000));
  CHECK(near(moved[1], -191.900));
  for (const QueryOutcome& o : query_outcomes(at.facts, &p)) {
    INFO(o.id << " " << o.rung);
    CHECK(o.kind != VerdictKind::refuted);
  }
}

TEST_CASE("D3: all products of the first gradient are positive, and that is a statistic") {
  const QueryInstance q = instance_d3();
  const std::vector<std::vector<std::string>> gamma = {
      {"-7/5", "63/20"}, {"-9/10", "-39/10"}, {"1/10", "3/20"}};
  const At correlation(q, query_point(QueryLoss::correlation, Matrix<Rational>(3, 3))),
      logistic(q, query_point(QueryLoss::logistic, Matrix<Rational>(3, 3)));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t t = 0; t < 2; ++t)
      CHECK(correlation.facts->scores()[i][t] == Rational::parse(gamma[i][t]));
  const std::vector<double> expected[] = {{1.2304, 30.770, 1.0877}, {0.9338, 27.33, 1.305}};
  const At* const at[] = {&correlation, &logistic};
  for (int k : {0, 1}) {
    const std::vector<Ball> products = first_gradient_products(at[k]->analysis);
    REQUIRE(products.size() == 3);
    for (std::size_t j = 0; j < 3; ++j) CHECK(near(products[j], expected[k][j], 5e-4));
  }
  CHECK(correlation.facts->equal_scores.is_proved());
  CHECK(correlation.facts->optimal().feasible.is_proved());
  const auto all = query_outcomes(correlation.facts, nullptr);
  CHECK(outcome(all, "attsvm.feasible_overparam", "norm").kind == VerdictKind::proved);
}

TEST_CASE("fixture 15: every hypothesis is proved, and nothing says that descent succeeds") {
  const QueryInstance q = query_instance("15_counterexample_global");
  const auto facts = std::make_shared<const QueryFacts>(q);
  for (const Condition& c : {facts->unique_optima, facts->equal_scores, facts->all_support,
                             facts->comonotone, facts->locally_optimal, facts->optimal().feasible})
    CHECK(c.is_proved());
  CHECK(facts->optimal().norm2 == Rational(67, 7));
  // Far into the region that gradient descent from 0 never leaves: input 1 selects the wrong token.
  const QueryPoint p =
      query_point(QueryLoss::correlation, in_span_with_gaps(*facts, {Rational(10), Rational(-20)}));
  const auto all = query_outcomes(facts, &p);
  for (const char* claim : {"no_stationary_points gap", "gradient_alignment equal_scores",
                            "gradient_domination comonotone", "feasible_overparam norm"}) {
    const std::string name = claim;
    const auto space = name.find(' ');
    INFO(name);
    CHECK(outcome(all, "attsvm." + name.substr(0, space), name.substr(space + 1)).kind ==
          VerdictKind::proved);
  }
  CHECK(largest_logits(q, p.weights.W) == std::vector<std::vector<std::size_t>>{{0}, {1}});
  for (const auto& infos : {attsvm_landscape_claim_infos(), attsvm_loss_claim_infos(),
                            attsvm_margin_claim_infos(), attsvm_factors_claim_infos()})
    for (const ClaimInfo& info : infos) {
      std::string text = info.statement;
      for (const RungInfo& r : info.rungs) text += " " + r.bound;
      INFO(info.id);
      CHECK(text.find("converge") == std::string::npos);
      CHECK(text.find("global") == std::string::npos);
    }
}

TEST_CASE(
    "hypotheses E, S and C are decided as plain loops over the files' solutions decide them") {
  int counts[3] = {0, 0, 0}, feasible = 0;
  for (const margin_test::Fixture& fixture : margin_test::fixtures()) {
    if (!fixture.W) continue;
    const QueryInstance q = query_instance(fixture.id.substr(7));
    const QueryFacts facts(q);
    const auto gamma = scores(q);
    bool E = true, S = true, C = true, unique = true;
    for (std::size_t i = 0; i < q.inputs(); ++i) {
      const std::size_t opt = q.selected[i][0], T = q.X[i].rows();
      const auto logit = [&](std::size_t t) {
        Rational a;
        for (std::size_t r = 0; r < q.dim(); ++r)
          for (std::size_t c = 0; c < q.dim(); ++c)
            a += q.X[i](t, r) * (*fixture.W)(r, c) * q.Z(i, c);
        return a;
      };
      for (std::size_t t = 0; t < T; ++t) {
        unique = unique && (t == opt || gamma[i][t] < gamma[i][opt]);
        S = S && (t == opt || logit(opt) - logit(t) == Rational(1));
        for (std::size_t u = 0; u < T; ++u) {
          E = E && (t == opt || u == opt || gamma[i][t] == gamma[i][u]);
          C = C && ((logit(t) - logit(u)) * (gamma[i][t] - gamma[i][u])).sign() >= 0;
        }
      }
    }
    if (!unique) continue;  // the file selects other tokens than the optimal ones
    INFO(fixture.id);
    CHECK(facts.equal_scores.is_proved() == E);
    CHECK(facts.all_support.is_proved() == S);
    CHECK(facts.comonotone.is_proved() == C);
    counts[0] += E ? 1 : 0;
    counts[1] += S ? 1 : 0;
    counts[2] += C ? 1 : 0;
    ++feasible;
  }
  CHECK(feasible >= 8);
  for (const int count : counts) {
    CHECK(count > 2);
    CHECK(count < feasible);
  }
}
