// SPDX-License-Identifier: Apache-2.0
// Saturated attention, ties and duplicates: relative accuracy where the textbook forms have none left.
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/attention/query_scaled.hpp"
#include "heed/attention/query_selection.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/query_support.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::Matrix;
using heed::QueryInstance;
using heed::QueryLoss;
using heed::QueryModel;
using heed::QueryPoint;
using heed::Rational;
using heed::ScaledGradient;
using heed::test::matrix;

// Two inputs; the logits of the first are (gap, 0, gap / 8 ...) along W = gap e_1 e_1^T.
struct Problem {
  QueryInstance instance;
  QueryPoint point;
};

Problem saturated(int gap, QueryLoss loss) {
  Problem p;
  p.instance.X = {matrix(4, 2, {1, 0, 0, 1, Rational(1, 8), 2, Rational(-1, 4), Rational(1, 2)}),
                  matrix(2, 2, {Rational(3, 4), 1, Rational(-1, 4), Rational(1, 4)})};
  p.instance.Z = matrix(2, 2, {1, Rational(1, 2), Rational(5, 4), -1});
  p.instance.y = {1, -1};
  p.instance.v = std::vector<Rational>{Rational(1, 2), Rational(-3, 4)};
  p.point.loss = loss;
  p.point.weights.W = matrix(2, 2, {gap, 0, 0, 0});
  p.point.direction = matrix(2, 2, {1, Rational(1, 2), Rational(-1, 4), 2});
  return p;
}

template <class S>
QueryModel<S> model_of(const Problem& p) {
  return heed::test::query_model<S>(p.instance, p.point);
}

template <class S>
Matrix<S> in_scalar(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return heed::Scalar<S>::from(q); });
}

Ball largest(const Matrix<Ball>& m) {
  Ball most;
  for (const Ball& x : m.entries()) most = max(most, abs(x));
  return most;
}

// |found - exact| and radii at most `relative` of the largest entry.
template <class S>
void check_relative(const Matrix<S>& found, const Matrix<Ball>& exact, double relative) {
  const Ball allowed = largest(exact) * Ball(relative);
  REQUIRE(certainly(positive(allowed)));
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if constexpr (heed::Scalar<S>::rigorous) {
      const Ball ball = heed::to_ball(found.data()[k]);
      CHECK(ball.overlaps(exact.data()[k]));
      CHECK(certainly(less_equal(ball.radius(), allowed)));
    } else {
      CHECK(certainly(less_equal(abs(Ball(found.data()[k]) - exact.data()[k]), allowed)));
    }
  }
}

const std::vector<QueryLoss> losses = {QueryLoss::logistic, QueryLoss::exponential,
                                       QueryLoss::correlation};

TEST_CASE("gradient and product keep relative accuracy at gaps of 30 to 700") {
  for (const int gap : {0, 1, 30, 100, 300, 700})
    for (const QueryLoss loss : losses) {
      INFO("gap " << gap << ", loss " << static_cast<int>(loss));
      const Problem p = saturated(gap, loss);
      const heed::PrecisionScope precision(3000);
      const auto exact = model_of<Ball>(p);
      const double unit = 0x1p-53 * 64 * (gap + 4);
      const Matrix<Rational>& D = *p.point.direction;
      const Matrix<Ball> gradient = exact.gradient(),
                         product = exact.hessian_vector_product(in_scalar<Ball>(D));
      check_relative(model_of<double>(p).gradient(), gradient, unit);
      check_relative(model_of<double>(p).hessian_vector_product(in_scalar<double>(D)), product,
                     unit);
      check_relative(model_of<DoubleBall>(p).gradient(), gradient, 8 * unit);
      check_relative(model_of<DoubleBall>(p).hessian_vector_product(in_scalar<DoubleBall>(D)),
                     product, 8 * unit);
    }
}

TEST_CASE("128 bits give 100 correct bits at a gap of 700, where the textbook needs a thousand") {
  const Problem p = saturated(700, QueryLoss::logistic);
  Matrix<Ball> coarse, fine;
  {
    const heed::PrecisionScope precision(128);
    coarse = model_of<Ball>(p).gradient();
  }
  const heed::PrecisionScope precision(3000);
  check_relative(coarse, model_of<Ball>(p).gradient(), 0x1p-100);
}

// The direction of the gradient to `relative`, in double and in double enclosures.
void check_scaled(const Problem& p, double relative) {
  const heed::PrecisionScope precision(4000);
  const auto exact = model_of<Ball>(p);
  const Matrix<Ball> rows = exact.gradient_rows();
  const ScaledGradient<double> plain = scaled_query_gradient(model_of<double>(p));
  const ScaledGradient<DoubleBall> enclosed = scaled_query_gradient(model_of<DoubleBall>(p));
  const auto scaled = [&](const Ball& log_scale) {
    return map(rows, [&](const Ball& x) { return x * exp(-log_scale); });
  };
  check_relative(plain.rows, scaled(Ball(plain.log_scale)), relative);
  check_relative(enclosed.rows, scaled(heed::to_ball(enclosed.log_scale)), 8 * relative);
  // Of order 1, as the header says.
  const Ball size = largest(scaled(Ball(plain.log_scale)));
  CHECK(certainly(less(size, Ball(16))));
  CHECK(certainly(less(Ball(1.0 / 64), size)));
}

TEST_CASE("the scaled gradient survives gaps of 800 and 40000") {
  for (const int gap : {0, 30, 800, 5000, 40'000})
    for (const QueryLoss loss : losses) {
      INFO("gap " << gap << ", loss " << static_cast<int>(loss));
      const Problem p = saturated(gap, loss);
      check_scaled(p, 0x1p-53 * 64 * (gap + 4));
      if (gap < 1000) continue;
      const Matrix<double> gradient = model_of<double>(p).gradient();
      for (const double x : gradient.entries()) CHECK(x == 0);
    }
}

TEST_CASE("a largest logit that is tied with a copy, or with a token of equal score, at 800") {
  Problem p = saturated(800, QueryLoss::logistic);
  Matrix<Rational>& x = p.instance.X[0];
  SECTION("copy") {
    for (std::size_t c = 0; c < 2; ++c) x(1, c) = x(0, c);
    check_scaled(p, 1e-12);
    const auto model = model_of<double>(p);
    CHECK(model.attention()[0] == 0.5);
    CHECK(model.attention()[1] == 0.5);
  }
  SECTION("equal score") {
    p.instance.v = std::vector<Rational>{1, 0};
    x(1, 0) = x(0, 0);
    check_scaled(p, 1e-12);
    CHECK(model_of<DoubleBall>(p).score_gaps()[1].is_exact());
  }
  SECTION("all scores equal: no gradient") {
    p.instance.v = std::vector<Rational>{0, 0};
    const ScaledGradient<double> scaled = scaled_query_gradient(model_of<double>(p));
    for (const double g : scaled.rows.entries()) CHECK(g == 0);
  }
}

TEST_CASE("odds of a token at any gap") {
  for (const int gap : {1, 40, 700, 800, 40'000}) {
    const Problem p = saturated(gap, QueryLoss::logistic);
    const heed::PrecisionScope precision(256);
    const auto exact = model_of<Ball>(p);
    const auto plain = model_of<double>(p);
    const auto enclosed = model_of<DoubleBall>(p);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < p.instance.X[i].rows(); ++j) {
        INFO("gap " << gap << ", token " << i << "," << j);
        const auto e = token_odds(exact, i, j);
        const auto d = token_odds(plain, i, j);
        const auto b = token_odds(enclosed, i, j);
        const auto close = [&](double found, const DoubleBall& ball, const Ball& value) {
          const Ball allowed = (abs(value) + Ball(0x1p-1000)) * Ball(1e-12);
          CHECK(heed::to_ball(ball).overlaps(value));
          CHECK(certainly(less_equal(abs(Ball(found) - value), allowed)));
        };
        close(d.log_odds, b.log_odds, e.log_odds);
        close(d.log_rest, b.log_rest, e.log_rest);
        close(d.least_gap, b.least_gap, e.least_gap);
        if (gap < 700) close(d.rest, b.rest, e.rest);
        if (gap < 700) close(d.log_own, b.log_own, e.log_own);
      }
  }
}

TEST_CASE("excess keeps relative accuracy while losses agree to all digits") {
  for (const int gap : {1, 40, 300, 700})
    for (const QueryLoss loss : losses) {
      Problem p = saturated(gap, loss);
      p.instance.v =
          std::vector<Rational>{Rational(1, 2), 0};  // the largest logit is the best score
      p.instance.y = {1, 1};
      const heed::PrecisionScope precision(3000);
      const auto exact = query_excess(model_of<Ball>(p));
      const auto plain = query_excess(model_of<double>(p));
      const auto enclosed = query_excess(model_of<DoubleBall>(p));
      INFO("gap " << gap << ", loss " << static_cast<int>(loss));
      CHECK(heed::to_ball(enclosed.mean).overlaps(exact.mean));
      CHECK(certainly(less_equal(Ball(enclosed.mean.rad()), exact.mean * Ball(1e-11))));
      CHECK(certainly(less_equal(abs(Ball(plain.mean) - exact.mean), exact.mean * Ball(1e-12))));
    }
}

TEST_CASE("excess of one term from tiny to enormous drops, against 2000 bits") {
  for (const QueryLoss loss : losses)
    for (const double best : {-800.0, -3.0, 0.0, 0.5, 40.0, 600.0})
      for (const double drop : {0.0, 1e-300, 1e-20, 0.25, 1.0, 1.5, 30.0, 600.0, 1000.0}) {
        if (loss == QueryLoss::exponential && drop - best > 700) continue;  // overflows
        INFO("loss " << static_cast<int>(loss) << ", best " << best << ", drop " << drop);
        const heed::PrecisionScope precision(4000);
        const Ball exact = query_loss_terms(loss, Ball(best) - Ball(drop)).value -
                           query_loss_terms(loss, Ball(best)).value;
        const double plain = heed::query_excess(loss, best, drop);
        const DoubleBall enclosed = heed::query_excess(loss, DoubleBall(best), DoubleBall(drop));
        CHECK(heed::query_excess(loss, Ball(best), Ball(drop)).overlaps(exact));
        CHECK(heed::to_ball(enclosed).overlaps(exact));
        const double relative = 0x1p-50 * (std::fabs(best) + drop + 4);
        const Ball allowed = Ball(relative) * abs(exact) + Ball(0x1p-1015);
        CHECK(certainly(less_equal(abs(Ball(plain) - exact), allowed)));
        CHECK(certainly(less_equal(Ball(enclosed.rad()), Ball(8) * allowed)));
      }
}

TEST_CASE("log of the slope, also where the slope underflows") {
  const heed::PrecisionScope precision(256);
  for (const QueryLoss loss : losses)
    for (const double u : {-900.0, -1.0, 0.0, 3.0, 900.0}) {
      const Ball exact = log(query_loss_terms(loss, Ball(u)).slope);
      CHECK(heed::log_query_slope(loss, u) ==
            Approx(heed::approx::to_double(exact)).epsilon(1e-13).margin(1e-300));
      CHECK(heed::log_query_slope(loss, Ball(u)).overlaps(exact));
    }
}

}  // namespace
