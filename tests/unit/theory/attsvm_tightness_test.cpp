// SPDX-License-Identifier: Apache-2.0
// Cases in which the bounds of query attention are attained or nearly so: a useless enclosure, or a
// constant that is too large, fails here.
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/linalg/singular_values.hpp"
#include "unit/theory/query_claims.hpp"

using namespace heed;
using namespace heed::test;

namespace {

// n = 1, T = 2: x = (1, 2) or (0, 0), z = (3/5, 4/5), scores 1 and 0; one constraint, ||A|| = sqrt 5.
QueryInstance one_constraint() {
  QueryInstance q;
  q.X = {rational_matrix({{"1", "2"}, {"0", "0"}})};
  q.Z = rational_matrix({{"3/5", "4/5"}});
  q.y = {1};
  q.v = std::vector<Rational>{Rational(1), Rational(0)};
  q.selected = {{0}};
  return q;
}

std::vector<QueryOutcome> along_margin(const QueryInstance& q, QueryLoss loss, const Rational& c,
                                       std::optional<MarginBracket> nuclear = {}) {
  const auto facts = std::make_shared<const QueryFacts>(q, std::move(nuclear));
  const QueryPoint p =
      query_point(loss, map(facts->selected().W, [&](const Rational& x) { return c * x; }));
  return query_outcomes(facts, &p);
}

bool is_tight(const QueryOutcome& o, double ratio = 1) {
  return o.kind == VerdictKind::proved && std::fabs(o.tightness - ratio) < 1e-12;
}

}  // namespace

TEST_CASE("one constraint: every bound along the margin is attained and proved in double") {
  for (const QueryLoss loss : {QueryLoss::logistic, QueryLoss::exponential, QueryLoss::correlation})
    for (const char* c : {"1/3", "5", "40"}) {
      const auto all = along_margin(one_constraint(), loss, Rational::parse(c));
      for (const char* name :
           {"corr_from_margin frobenius", "cert_margin frobenius_lower", "dual_frobenius gap",
            "cert_margin frobenius_upper", "no_stationary_points gap",
            "softmax_margin_sandwich lower", "no_stationary_points probability",
            "gradient_alignment equal_scores", "gradient_domination signed",
            "softmax_margin_sandwich upper", "rank_bound spans", "excess_bounds gap_lower",
            "excess_bounds gap_upper", "feasible_overparam norm"}) {
        const std::string text = name;
        const auto space = text.find(' ');
        const QueryOutcome& o =
            outcome(all, "attsvm." + text.substr(0, space), text.substr(space + 1));
        INFO(text << " at " << c << ": " << o.lhs << " <= " << o.rhs);
        CHECK(is_tight(o));
        CHECK(o.bits == 53);
      }
    }
}

TEST_CASE("correlation loss, one constraint: the gradient is 1 - q times its self-bound") {
  for (const double c : {0.25, 3.0, 12.0}) {
    const auto all = along_margin(one_constraint(), QueryLoss::correlation, Rational(c));
    CHECK(is_tight(outcome(all, "attsvm.self_bounded", "gradient"), 1 / (1 + std::exp(-c))));
    for (const char* rung : {"slope_lower", "slope_upper", "selection"}) {
      INFO(rung);
      CHECK(is_tight(outcome(all, "attsvm.excess_bounds", rung)));
    }
    CHECK(is_tight(outcome(all, "attsvm.gradient_domination", "excess")));
    CHECK(is_tight(outcome(all, "attsvm.gradient_domination", "comonotone")));
  }
}

TEST_CASE("the smoothness constant is within a factor of 3 of the Hessian") {
  // kappa3 of two tokens, s(1 - s)(1 - 2 s) diam^2 R, is largest at s = (1 - 1/sqrt 3)/2: 0.385 of
  // the bound diam^2 R/4.
  const double gap = std::log((1 + 1 / std::sqrt(3)) / (1 - 1 / std::sqrt(3)));
  const auto all = along_margin(one_constraint(), QueryLoss::correlation, Rational(-gap));
  const QueryOutcome& o = outcome(all, "attsvm.smoothness", "worst");
  CHECK(o.kind == VerdictKind::proved);
  CHECK(std::fabs(o.tightness - 4 / (6 * std::sqrt(3))) < 1e-12);
  CHECK(outcome(all, "attsvm.smoothness", "paper").tightness < o.tightness);
}

TEST_CASE("fixture 08: the solution of both norms, every order of the norms attained or strict") {
  MarginBracket nuclear;
  nuclear.lambda = {Rational(1), Rational(1)};
  nuclear.B = nuclear.C = rational_matrix({{"1"}, {"1"}});
  nuclear.lo = nuclear.hi = Rational(2);
  const auto all = along_margin(query_instance("08_nuclear_not_unique"), QueryLoss::logistic,
                                Rational(2), nuclear);
  const auto& upper = outcome(all, "attsvm.norm_order", "upper");
  CHECK(std::fabs(upper.tightness - 1) < 1e-12);
  CHECK(upper.kind != VerdictKind::refuted);
  CHECK(std::fabs(outcome(all, "attsvm.norm_order", "lower").tightness - std::sqrt(0.5)) < 1e-12);
  CHECK(std::fabs(outcome(all, "attsvm.norm_order", "solution").tightness - 1) < 1e-12);
  CHECK(std::fabs(outcome(all, "attsvm.corr_from_margin", "nuclear").tightness - 1) < 1e-12);
  CHECK(outcome(all, "attsvm.dual_nuclear", "lower").kind == VerdictKind::proved);
  CHECK(outcome(all, "attsvm.norms_coincide", "orthogonal").kind == VerdictKind::proved);
}

TEST_CASE("a bracket around equality is said to be one, a wrong bracket is refuted") {
  MarginBracket nuclear;
  nuclear.lambda = {Rational(1), Rational(1)};
  nuclear.B = nuclear.C = rational_matrix({{"1"}, {"1"}});
  nuclear.lo = Rational::parse("1.999999");
  nuclear.hi = Rational::parse("2.000001");
  const QueryInstance q = query_instance("08_nuclear_not_unique");
  auto all = along_margin(q, QueryLoss::logistic, Rational(2), nuclear);
  const QueryOutcome& solution = outcome(all, "attsvm.norm_order", "solution");
  CHECK(solution.kind == VerdictKind::not_applicable);
  CHECK(solution.reason == "equality lies in the bracket of ||W*||_*");
  nuclear.lo = nuclear.hi = Rational(3);  // ||W*||_* = 2
  all = along_margin(q, QueryLoss::logistic, Rational(2), nuclear);
  CHECK(outcome(all, "attsvm.dual_nuclear", "lower").kind == VerdictKind::refuted);
  CHECK(outcome(all, "attsvm.norm_order", "solution").kind == VerdictKind::refuted);
  CHECK(outcome(all, "attsvm.corr_from_margin", "nuclear").kind == VerdictKind::refuted);
}

TEST_CASE("singular values are enclosed, narrowly, also in clusters and at 0") {
  const PrecisionScope scope(256);
  // H = reflection: H diag(3, 3, 2, 0) H^T has those singular values.
  const std::vector<int> expected = {3, 3, 2, 0};
  Matrix<Rational> h(4, 4), m(4, 4);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c) h(r, c) = Rational(r == c ? 1 : 0) - Rational(1, 2);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t k = 0; k < 4; ++k) m(r, c) += h(r, k) * Rational(expected[k]) * h(c, k);
  const std::vector<Ball> values =
      singular_values(map(m, [](const Rational& q) { return Ball(q); }));
  REQUIRE(values.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(values[k].contains(Rational(expected[k])));
    CHECK(values[k].has_absolute_digits(70));
  }
  CHECK(singular_values(Matrix<Ball>(2, 3)).size() == 2);
}
