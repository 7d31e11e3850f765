// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/numeric/format.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/query_support.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::Matrix;
using heed::Rational;
using heed::test::QueryEvaluation;
using heed::test::QueryFixture;

// Upper bound of the rounding of a decimal of 50 digits, and of 60-digit arithmetic near 0.
Ball reference(const Rational& value, const Rational& scale) {
  const Rational slack = (abs(value) + scale) * Rational::parse("1e-49");
  return Ball(value) + Ball::symmetric(Ball(slack));
}

Rational largest(const Matrix<Rational>& m) {
  Rational most;
  for (const Rational& q : m.entries()) most = std::max(most, abs(q));
  return most;
}

// Encloses the value, and its radius is at most `tolerance` times the scale.
void check(const Ball& found, const Rational& value, const Rational& scale, double tolerance) {
  CHECK(found.overlaps(reference(value, scale)));
  CHECK(certainly(less_equal(found.radius(), Ball(tolerance) * Ball(scale))));
}

template <class S>
void check(const Matrix<S>& found, const Matrix<Rational>& value, const Rational& scale,
           double tolerance) {
  REQUIRE(found.rows() == value.rows());
  REQUIRE(found.cols() == value.cols());
  for (std::size_t k = 0; k < value.size(); ++k) {
    INFO("entry " << k);
    check(heed::to_ball(found.data()[k]), value.data()[k], scale, tolerance);
  }
}

template <class S>
Matrix<S> in_scalar(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return heed::Scalar<S>::from(q); });
}

template <class S>
void check_evaluations(double tolerance) {
  std::size_t count = 0;
  for (const QueryFixture& f : heed::test::query_fixtures())
    for (std::size_t k = 0; k < f.evaluations.size(); ++k) {
      const QueryEvaluation& e = f.evaluations[k];
      INFO(f.file << ", evaluation " << k);
      const auto model = heed::test::query_model<S>(f.instance, e.point);
      REQUIRE(!model.open_unit());
      check(heed::to_ball(model.loss()), e.loss, abs(e.loss) + Rational(1), tolerance);
      // Products may vanish by cancellation (two tokens at W = 0), gradients by equal scores; the
      // smallest differences of the files are 1e-8.
      const Rational scale = std::max(largest(e.gradient), Rational::parse("1e-8"));
      check(model.gradient(), e.gradient, scale, tolerance);
      check(model.hessian_vector_product(in_scalar<S>(*e.point.direction)), e.product,
            std::max(scale, largest(e.product)), tolerance);
      check(heed::to_ball(model.curvature_along(model.direction_gaps(*e.point.direction))),
            e.quadratic, scale, tolerance);
      Rational slope;
      for (std::size_t j = 0; j < e.gradient.size(); ++j)
        slope += e.gradient.data()[j] * e.point.direction->data()[j];
      check(heed::to_ball(model.slope_along_exact(*e.point.direction)), slope,
            std::max(scale, abs(slope)), tolerance);
      ++count;
    }
  CHECK(count == 78);
}

TEST_CASE("loss, gradient, product and curvature of every reference point, in balls") {
  const heed::PrecisionScope precision(192);
  check_evaluations<Ball>(1e-48);
}

TEST_CASE("the same in double enclosures") { check_evaluations<DoubleBall>(1e-12); }

}  // namespace
