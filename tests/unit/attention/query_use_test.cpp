// SPDX-License-Identifier: Apache-2.0
// Shapes, single tokens, kinks of the ReLU head, causal sequences, and what is refused.
#include <catch2/catch.hpp>

#include "heed/attention/causal.hpp"
#include "heed/attention/query_kernel.hpp"
#include "heed/attention/query_scaled.hpp"
#include "heed/attention/query_selection.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/query_support.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::Matrix;
using heed::QueryInputs;
using heed::QueryInstance;
using heed::QueryLoss;
using heed::QueryModel;
using heed::Rational;
using heed::ReluHead;
using heed::test::matrix;

QueryInstance small() {
  QueryInstance q;
  q.X = {matrix(2, 2, {1, 0, 0, 1}), matrix(1, 2, {2, 1})};
  q.Z = matrix(2, 2, {1, 1, 0, 1});
  q.y = {1, -1};
  q.v = std::vector<Rational>{1, Rational(1, 3)};
  return q;
}

template <class S>
QueryModel<S> at(const QueryInstance& q, const heed::QueryHead& head, const Matrix<S>& W,
                 QueryLoss loss = QueryLoss::logistic) {
  return QueryModel<S>(std::make_shared<QueryInputs<S>>(q, head), loss, W);
}

TEST_CASE("an input of one token adds a constant") {
  QueryInstance q = small();
  const auto both = at<Ball>(q, heed::LinearHead{}, Matrix<Ball>(2, 2));
  CHECK(both.attention()[2].is_exact());
  CHECK(token_odds(both, 1, 0).alone);
  CHECK_FALSE(token_odds(both, 0, 0).alone);
  const Matrix<Ball> rows = both.gradient_rows();
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(rows(1, c).is_exact());
    CHECK(rows(1, c).contains_zero());
  }
  const auto excess = query_excess(both);
  CHECK(excess.terms[1].is_exact());
  CHECK(excess.terms[1].contains_zero());
  q.X.pop_back();
  q.y.pop_back();
  q.Z = matrix(1, 2, {1, 1});
  const auto one = at<Ball>(q, heed::LinearHead{}, Matrix<Ball>(2, 2));
  const Matrix<Ball> g = one.gradient(), half = both.gradient();
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(half.data()[k].overlaps(ldexp(g.data()[k], -1)));  // n counts it
}

TEST_CASE("a ReLU unit at its kink") {
  const QueryInstance q = small();
  // o_0 = (1/2, 1/2) at W = 0: the unit (1, -1) is at 0, whatever the precision.
  const ReluHead head{matrix(1, 2, {1, -1}), {2}};
  const auto balls = at<Ball>(q, head, Matrix<Ball>(2, 2));
  REQUIRE(balls.open_unit());
  CHECK(balls.open_unit()->input == 0);
  CHECK(balls.open_unit()->unit == 0);
  CHECK(balls.margins()[0].contains(Rational(0)));
  CHECK(balls.margins()[1].contains(Rational(-2)));
  CHECK(balls.loss().is_finite());
  CHECK_THROWS_AS(balls.gradient(), std::domain_error);
  CHECK_THROWS_AS(balls.hessian_vector_product(Matrix<Ball>(2, 2)), std::domain_error);
  CHECK_THROWS_AS(balls.curvature_along(std::vector<Ball>(3)), std::domain_error);
  CHECK_THROWS_AS(balls.slope_along_exact(Matrix<Rational>(2, 2)), std::domain_error);
  CHECK_THROWS_AS(scaled_query_gradient(balls), std::domain_error);
  CHECK_THROWS_AS(query_excess(balls), std::domain_error);
  CHECK(at<double>(q, head, Matrix<double>(2, 2)).open_unit());
  // Away from it.
  Matrix<DoubleBall> W(2, 2);
  W(0, 0) = 1;
  CHECK_FALSE(at<DoubleBall>(q, head, W).open_unit());
  // An enclosure of W that allows both signs does not decide.
  W(0, 0) = DoubleBall::enclose(0, 1);
  const auto wide = at<DoubleBall>(q, head, W);
  CHECK(wide.open_unit());
  CHECK(wide.margins()[0].contains(Rational(0)));
}

TEST_CASE("units whose sign the tokens decide are never open") {
  QueryInstance q = small();
  q.X.pop_back();
  q.y.pop_back();
  q.Z = matrix(1, 2, {1, 1});
  // Inputs of the units on the two tokens: (0, 1), (0, -1), (0, 0) with the third in the null space.
  q.X[0] = matrix(2, 2, {1, 0, 1, 1});
  const ReluHead head{matrix(3, 2, {0, 1, 0, -1, 0, 0}), {3, 5, 7}};
  const Matrix<Rational> p = query_features(q, head).front();
  CHECK(unit_sign(p, 0) == heed::UnitSign::positive);
  CHECK(unit_sign(p, 1) == heed::UnitSign::negative);
  CHECK(unit_sign(p, 2) == heed::UnitSign::zero);
  // Even where the attention of the second token is enclosed by an interval around 0.
  Matrix<DoubleBall> W(2, 2);
  W(1, 0) = -2000;
  const auto model = at<DoubleBall>(q, head, W);
  CHECK_FALSE(model.open_unit());
  CHECK(model.gradient()(1, 0).is_finite());
}

TEST_CASE("the causal reference file is its sequence, unrolled") {
  const heed::test::QueryFixture f = heed::test::query_fixture("attsvm_14_causal_ragged.json");
  const heed::CausalSequence sequence{f.instance.X.back(), {1}};
  const QueryInstance unrolled = causal_instance({sequence}, f.instance.v, 1);
  CHECK(unrolled.X == f.instance.X);
  CHECK(unrolled.Z == f.instance.Z);
  CHECK(unrolled.y == f.instance.y);
  CHECK(unrolled.v == f.instance.v);
  const QueryInstance all = causal_instance({sequence, sequence}, f.instance.v);
  CHECK(all.inputs() == 8);
  CHECK(all.X[0].rows() == 1);
  CHECK(all.X[4] == all.X[0]);
  const auto positions = heed::causal_positions({sequence, sequence});
  REQUIRE(positions.size() == 8);
  CHECK(positions[5] == heed::CausalPosition{1, 1});
}

TEST_CASE("causal sequences: a label for each position, and what is refused") {
  const Matrix<Rational> x = matrix(3, 2, {1, 0, 0, 1, 2, 1});
  const QueryInstance q = heed::causal_instance({{x, {1, -1, 1}}}, std::nullopt);
  CHECK(q.y == std::vector<int>{1, -1, 1});
  CHECK_THROWS_AS(heed::causal_instance({}, std::nullopt), std::invalid_argument);
  CHECK_THROWS_AS(heed::causal_instance({{x, {1, 1}}}, std::nullopt), std::invalid_argument);
  CHECK_THROWS_AS(heed::causal_instance({{x, {0}}}, std::nullopt), std::invalid_argument);
  CHECK_THROWS_AS(heed::causal_instance({{x, {1}}}, std::nullopt, 3), std::invalid_argument);
  CHECK_THROWS_AS(heed::causal_instance({{x, {1}}, {matrix(1, 1, {1}), {1}}}, std::nullopt),
                  std::invalid_argument);
}

TEST_CASE("inconsistent shapes are refused") {
  const heed::LinearHead linear;
  const auto refused = [&](const QueryInstance& q, const heed::QueryHead& head) {
    CHECK_THROWS_AS(QueryInputs<double>(q, head), std::invalid_argument);
  };
  QueryInstance q = small();
  q.y = {1};
  refused(q, linear);
  q = small();
  q.y[0] = 2;
  refused(q, linear);
  q = small();
  q.Z = matrix(1, 2, {1, 1});
  refused(q, linear);
  q = small();
  q.X[1] = matrix(1, 3, {1, 1, 1});
  refused(q, linear);
  q = small();
  q.v.reset();
  refused(q, linear);
  refused(q, heed::QuadraticHead{1});
  CHECK_NOTHROW(QueryInputs<double>(q, ReluHead{matrix(1, 2, {1, 1}), {1}}));
  refused(q, ReluHead{matrix(1, 2, {1, 1}), {1, 1}});
  refused(q, ReluHead{matrix(1, 3, {1, 1, 1}), {1}});
  q = small();
  q.v = std::vector<Rational>{1};
  refused(q, linear);
  q = small();
  CHECK_THROWS_AS(at<double>(q, linear, Matrix<double>(2, 3)), std::invalid_argument);
  const auto inputs = std::make_shared<QueryInputs<double>>(q, linear);
  CHECK_THROWS_AS(
      QueryModel<double>(inputs, QueryLoss::logistic,
                         heed::QueryFactors<double>{Matrix<double>(2, 1), Matrix<double>(2, 2)}),
      std::invalid_argument);
  const auto model = at<double>(q, linear, Matrix<double>(2, 2));
  CHECK_THROWS_AS(model.direction_gaps(Matrix<double>(1, 2)), std::invalid_argument);
  CHECK_THROWS_AS(heed::QueryKernel<double>(inputs, QueryLoss::logistic, {0}, Matrix<double>(2, 2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      heed::QueryKernel<double>(inputs, QueryLoss::logistic, {0, 1}, Matrix<double>(2, 2)),
      std::invalid_argument);
}

}  // namespace
