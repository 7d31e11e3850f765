// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/generalised_svm.hpp"

#include <algorithm>
#include <flint/fmpq.h>

#include <catch2/catch.hpp>
#include <random>
#include <variant>

#include "heed/margin/exact_frobenius.hpp"
#include "heed/numeric/ball_arb.hpp"
#include "unit/margin/support.hpp"

using namespace heed;

namespace {

Matrix<Rational> matrix(const std::vector<std::vector<Rational>>& rows) {
  Matrix<Rational> m(rows.size(), rows.front().size());
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t c = 0; c < m.cols(); ++c) m(i, c) = rows[i][c];
  return m;
}

QueryInstance instance(std::vector<Matrix<Rational>> X, Matrix<Rational> Z,
                       std::vector<std::vector<std::size_t>> selected) {
  QueryInstance q;
  q.X = std::move(X);
  q.Z = std::move(Z);
  q.y.assign(q.X.size(), 1);
  q.selected = std::move(selected);
  return q;
}

Rational inner(const Matrix<Rational>& a, const Matrix<Rational>& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a.data()[k] * b.data()[k];
  return sum;
}

const Rational one(1), half(1, 2), third(1, 3);

/// Tokens (1, 0) and (0, 1) selected against (-1, -1), query (1, 0).
QueryInstance small() {
  return instance({matrix({{1, 0}, {0, 1}, {-1, -1}})}, matrix({{1, 0}}), {{0, 1}});
}

}  // namespace

TEST_CASE("two tokens of three: every part by hand") {
  const GeneralisedSvm svm = generalised_svm(small(), matrix({{1, 0}, {0, 0}}));
  CHECK(svm.W_fin == matrix({{half, 0}, {-half, 0}}));
  REQUIRE(svm.W_dir);
  CHECK(*svm.W_dir == matrix({{third, 0}, {third, 0}}));
  CHECK(*svm.R == Rational(3, 2));
  CHECK(*svm.fin_share == half);
  CHECK(svm.prediction->squared == one);
  CHECK(svm.informative->squared == one);
  CHECK(svm.informative->sign == 1);

  const GeneralisedSvm outside = generalised_svm(small(), matrix({{1, 0}, {0, 1}}));
  CHECK(*outside.R == Rational(3, 2));
  CHECK(outside.prediction->squared == half);
  CHECK(outside.informative->squared == Rational(1, 3));

  const GeneralisedSvm against = generalised_svm(small(), matrix({{-1, 0}, {-1, 0}}));
  CHECK(*against.R == Rational(0));
  CHECK(*against.fin_share == Rational(0));
  CHECK_FALSE(against.prediction);  // W_fin + 0 W_dir = 0
  CHECK(against.informative->sign == -1);
  CHECK(against.informative->squared == one);

  const GeneralisedSvm zero = generalised_svm(small(), Matrix<Rational>(2, 2));
  CHECK_FALSE(zero.fin_share);
  CHECK_FALSE(zero.prediction);
  CHECK_FALSE(zero.informative);
  CHECK(*zero.R == Rational(0));
}

TEST_CASE("sets that cannot be separated, no constraints, and single tokens") {
  QueryInstance q = small();
  q.X[0](2, 0) = q.X[0](2, 1) = half;  // the mean of the selected tokens
  const Matrix<Rational> W = matrix({{2, 1}, {0, 3}});
  const GeneralisedSvm infeasible = generalised_svm(q, W);
  const auto* proof = std::get_if<Infeasibility>(&infeasible.margin.result);
  REQUIRE(proof != nullptr);
  CHECK(margin_test::fault(margin_problem(q), *proof) == "");
  CHECK_FALSE(infeasible.W_dir);
  CHECK_FALSE(infeasible.R);
  CHECK(infeasible.W_fin == matrix({{1, 0}, {-1, 0}}));

  q.selected = {{0, 1, 2}};
  const GeneralisedSvm all = generalised_svm(q, W);
  CHECK(std::holds_alternative<NoConstraints>(all.margin.result));
  CHECK_FALSE(all.W_dir);
  CHECK_FALSE(all.prediction);
  CHECK(all.W_fin == matrix({{1, 0}, {-1, 0}}));  // dependent equalities

  q.selected = {{0}};
  const GeneralisedSvm single = generalised_svm(q, W);
  CHECK(*single.fin_share == Rational(0));
  const auto& bracket = std::get<MarginBracket>(single.margin.result);
  CHECK(inner(*single.W_dir, *single.W_dir) == bracket.lo);
  CHECK_THROWS_AS(generalised_svm(q, Matrix<Rational>(2, 1)), std::invalid_argument);
}

TEST_CASE("random instances satisfy the structure lemma exactly") {
  std::mt19937_64 random(5);
  std::size_t feasible = 0, infeasible = 0, many = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 1 + random() % 3, T = 2 + random() % 4, d = 2 + random() % 4;
    std::vector<Matrix<Rational>> X;
    std::vector<std::vector<std::size_t>> selected;
    for (std::size_t i = 0; i < n; ++i) {
      X.push_back(margin_test::random_integers(random, T, d, 3));
      selected.emplace_back();
      const std::size_t size = 1 + random() % std::min<std::size_t>(T, 3);
      for (std::size_t k = 0; k < size; ++k) selected.back().push_back((random() % T + k) % T);
      std::sort(selected.back().begin(), selected.back().end());
      selected.back().erase(std::unique(selected.back().begin(), selected.back().end()),
                            selected.back().end());
    }
    const QueryInstance q =
        instance(X, margin_test::random_integers(random, n, d, 2), std::move(selected));
    const Matrix<Rational> W = margin_test::random_integers(random, d, d, 5);
    const MarginProblem problem = margin_problem(q);
    const GeneralisedSvm svm = generalised_svm(q, W);
    INFO("trial " << trial);
    // W_fin has the gaps of W and is a combination of the E_j: its square is <W_fin, W>.
    CHECK(row_values(problem.equalities, problem.Z, svm.W_fin) ==
          row_values(problem.equalities, problem.Z, W));
    CHECK(inner(svm.W_fin, svm.W_fin) == inner(svm.W_fin, W));
    const LeastMatrix least = least_with_gaps_of(problem, svm.W_fin);
    CHECK(least.W_fin == svm.W_fin);
    CHECK(combine(problem.equalities, problem.Z, least.mu) == svm.W_fin);
    CHECK(least.squared_norm == inner(svm.W_fin, svm.W_fin));
    many += problem.equalities.size() > d ? 1 : 0;
    if (!svm.W_dir) {
      ++infeasible;
      continue;
    }
    ++feasible;
    const Matrix<Rational>& dir = *svm.W_dir;
    for (const Rational& x : row_values(problem.equalities, problem.Z, dir)) CHECK(x.sign() == 0);
    for (const Rational& x : row_values(problem.inequalities, problem.Z, dir)) CHECK(x >= one);
    const std::optional<Rational> norm2 = margin_test::reference_norm2(problem);
    CHECK((norm2 && *norm2 == inner(dir, dir)));
    CHECK(inner(svm.W_fin, dir).sign() == 0);
    const Rational along = std::max(Rational(0), inner(W, dir));
    CHECK(*svm.R == along / inner(dir, dir));
    if (svm.prediction) {
      CHECK(svm.prediction->sign >= 0);
      CHECK(svm.prediction->squared ==
            (inner(svm.W_fin, svm.W_fin) + along * along / inner(dir, dir)) / inner(W, W));
      CHECK(structure_lemma_holds(svm, W) == true);
      GeneralisedSvm wrong = svm;
      wrong.prediction->squared += Rational(1, 1000000);
      CHECK(structure_lemma_holds(wrong, W) == false);
    }
    if (svm.informative) CHECK(svm.informative->squared <= one);
  }
  CHECK(feasible > 60);
  CHECK(infeasible > 40);
  CHECK(many > 10);
}

TEST_CASE("tokens above a softmax threshold are selected by proof") {
  const Matrix<Rational> W = matrix({{1}});
  const auto logits = [](const std::vector<Rational>& a) {
    Matrix<Rational> x(a.size(), 1);
    for (std::size_t t = 0; t < a.size(); ++t) x(t, 0) = a[t];
    return instance({x}, matrix({{1}}), {{0}});
  };
  using Sets = std::vector<std::vector<std::size_t>>;
  const Rational threshold = Rational::parse("1e-3");
  const auto select = [&](const std::vector<Rational>& a) {
    return selected_by_softmax(logits(a), W, threshold).value();
  };
  CHECK(select({0, Rational::parse("6.9")}) == Sets{{1, 0}});
  CHECK(select({0, Rational::parse("6.91")}) == Sets{{1}});
  CHECK(select({5, Rational(-1'000'000'000), 5}) == Sets{{0, 2}});
  CHECK(select(std::vector<Rational>(1000, Rational(7)))[0].size() == 1000);  // 1/1000, exactly
  CHECK(select(std::vector<Rational>(1001, Rational(7)))[0].empty());
  // A threshold 1e-60 beside the probability of logits 1, 0.
  const PrecisionScope scope(400);
  const Ball s = Ball(1) / (Ball(1) + exp(Ball(1)));
  fmpq_t midpoint;
  fmpq_init(midpoint);
  arf_get_fmpq(midpoint, arb_midref(arb(s)));
  Rational near;
  fmpq_get_mpq(near.raw(), midpoint);
  fmpq_clear(midpoint);
  const Rational step = Rational::parse("1e-60");
  CHECK(*selected_by_softmax(logits({1, 0}), W, near - step) == Sets{{0, 1}});
  CHECK(*selected_by_softmax(logits({1, 0}), W, near + step) == Sets{{0}});
  CHECK_FALSE(selected_by_softmax(logits({1, 0}), W, near + step, 128));
  CHECK_THROWS_AS(selected_by_softmax(logits({1, 0}), W, Rational(0)), std::invalid_argument);
}
