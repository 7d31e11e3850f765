// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/linear_form.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "heed/landscape/detail/hessian_series.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/landscape/points_support.hpp"
#include "unit/landscape/support.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::Rational;
using heed::detail::FormDomain;
using heed::detail::FormScope;
using heed::detail::LinearForm;

// Written once for forms and for balls.
template <class S>
std::vector<S> functions(const S& x, const S& y) {
  using heed::exp;
  using heed::square;
  const S one(1), e = exp(S(x * y)), f = one / (one + exp(S(x - y - y)));
  return {x * y,
          e,
          f,
          f * f - x * e,
          square(S(x + e)) / (one + square(y)),
          x - x + y,
          e / f,
          exp(S(f * S(3) * square(S(x - y)))),
          one / x};
}

// Points of the domain, on its boundary and inside.
std::vector<double> draw(std::mt19937& source, bool ball, const std::vector<double>& half) {
  std::normal_distribution<double> normal;
  std::vector<double> v(half.size());
  double squared = 0, largest = 0;
  for (double& x : v) {
    x = normal(source);
    squared += x * x;
    largest = std::max(largest, std::fabs(x));
  }
  const double size = (1 - 1e-9) / (ball ? std::sqrt(squared) : largest);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] *= size * half[k];
  return v;
}

TEST_CASE("forms hold their functions to first order, and the rest is of second order") {
  const heed::PrecisionScope precision(256);
  std::mt19937 source(3);
  const double cx = 0.375, cy = -1.25;
  for (const bool ball : {false, true})
    for (const double r : {1e-9, 1e-3, 0.1, 0.4}) {
      const std::vector<double> half =
          ball ? std::vector<double>{r, r} : std::vector<double>{r, r / 3};
      const FormDomain domain = ball ? FormDomain::ball(2, Rational(r))
                                     : FormDomain::box({Rational(r), Rational(half[1])});
      const FormScope scope(domain);
      const auto forms = functions(LinearForm::coordinate(DoubleBall(cx), 0),
                                   LinearForm::coordinate(DoubleBall(cy), 1));
      std::vector<double> largest(forms.size());
      for (int trial = 0; trial < 60; ++trial) {
        const std::vector<double> v = draw(source, ball, half);
        for (const double s : {1.0, 0.5, 0.0625}) {
          const auto exact =
              functions(Ball(cx) + Ball(s) * Ball(v[0]), Ball(cy) + Ball(s) * Ball(v[1]));
          for (std::size_t k = 0; k < forms.size(); ++k) {
            if (!forms[k].is_finite()) continue;
            Ball first = to_ball(forms[k].value());
            for (std::size_t j = 0; j < forms[k].slope().size(); ++j)
              first += Ball(s) * Ball(v[j]) * to_ball(forms[k].slope()[j]);
            const Ball rest = Ball(s) * Ball(s) * to_ball(forms[k].rest());
            INFO(k << " " << r << " " << s << " " << ball);
            CHECK(!certainly(less(rest, abs(exact[k] - first))));
            if (s == 1)
              largest[k] =
                  std::max(largest[k], heed::approx::to_double(abs(exact[k] - first).midpoint()));
          }
        }
      }
      for (std::size_t k = 0; k < forms.size(); ++k) {
        INFO(k << " " << r << " " << ball);
        CHECK((forms[k].is_finite() || r > 0.2));
        // What the products lose by taking absolute values: a constant.
        if (r == 1e-3) CHECK(forms[k].rest().mid() <= 40 * largest[k] + 1e-18);
      }
      CHECK(forms[5].rest().mid() == 0);  // x - x + y
    }
}

TEST_CASE("forms of saturated quotients stay finite") {
  const FormDomain domain = FormDomain::ball(1, Rational(1, 1000));
  const FormScope scope(domain);
  const LinearForm x = LinearForm::coordinate(DoubleBall(1), 0), one(1);
  for (const int size : {300, 480, 640}) {
    const LinearForm s = one / (one + exp(LinearForm(size) * x));
    CHECK(s.is_finite());
    CHECK(s.rest().mid() < 1e-100);
  }
  CHECK(!(one / (x - one)).is_finite());
  CHECK(!(one / (x - LinearForm(DoubleBall(1.0005)))).is_finite());
  CHECK((one / (x - LinearForm(DoubleBall(1.01)))).is_finite());
}

// Two samples of three tokens in three dimensions; a point without any symmetry.
LandscapeProblem drawn(heed::AttentionKernel kernel, const std::string& trained) {
  std::mt19937 source(5);
  const auto matrix = [&](std::size_t rows, std::size_t cols) {
    Matrix<Rational> m(rows, cols);
    for (Rational& x : m.entries()) x = Rational(static_cast<long>(source() % 33) - 16, 16);
    return m;
  };
  heed::KernelInstance k;
  for (int i = 0; i < 2; ++i) {
    k.X.push_back(matrix(3, 3));
    k.Y.push_back(matrix(3, 2));
  }
  k.readout = heed::token_readout(3);
  k.beta = {Rational(1, 2), true};
  k.weights = {{matrix(3, 2)}, {matrix(3, 2)}, {matrix(3, 1)}, {matrix(1, 2)}};
  return {k, kernel, *heed::KernelBlocks::parse(trained)};
}

TEST_CASE("the series of the Hessian bounds Hessians and their means along rays") {
  const heed::PrecisionScope precision(128);
  std::mt19937 source(9);
  for (const heed::AttentionKernel kernel : landscape_test::all_kernels())
    for (const std::string trained : {"W_Q", "W_K", "W_V,W_O", "all"})
      for (const bool ball : {true, false}) {
        const LandscapeProblem p = drawn(kernel, trained);
        const std::vector<Rational> c = p.start();
        const std::size_t n = c.size();
        const double r = 0.03;
        const FormDomain domain = ball ? FormDomain::ball(n, Rational(r))
                                       : FormDomain::box(std::vector<Rational>(n, Rational(r)));
        const heed::detail::HessianSeries series(p, c, domain);
        REQUIRE(series.is_finite());
        const heed::LandscapeModel landscape(p);
        const auto hessian = [&](const std::vector<double>& v, const Rational& t) {
          std::vector<Ball> theta;
          for (std::size_t k = 0; k < n; ++k) theta.emplace_back(Ball(c[k]) + Ball(t) * Ball(v[k]));
          return landscape.at(theta).hessian(p.trained);
        };
        const double low = series.least(1, 1), high = series.most(1, 1),
                     mean = series.least(1.0 / 3 + 1e-15, 1.0 / 6 + 1e-15),
                     plain = series.least(0.5, 1.0 / 3 + 1e-15),
                     most_mean = series.most(1.0 / 3 + 1e-15, 1.0 / 6 + 1e-15);
        INFO(heed::kernel_word(kernel) << " " << trained << " " << ball);
        CHECK(low <= plain);
        CHECK(plain <= mean);
        for (int trial = 0; trial < 6; ++trial) {
          const std::vector<double> v = draw(source, ball, std::vector<double>(n, r));
          const auto ends = extremes(hessian(v, Rational(1)));
          CHECK(!certainly(less(ends.least, Ball(low))));
          CHECK(!certainly(less(Ball(high), ends.largest)));
          // Simpson's rule on 16 parts: the error is far below 1e-9.
          Matrix<Ball> M(n, n), N(n, n);
          for (long i = 0; i <= 16; ++i) {
            const Rational t(i, 16), weight(i % 16 == 0 ? 1 : i % 2 == 0 ? 2 : 4, 48);
            const Matrix<Ball> H = hessian(v, t);
            for (std::size_t k = 0; k < H.size(); ++k) {
              N.entries()[k] += Ball(weight) * H.entries()[k];
              M.entries()[k] += Ball(weight * Rational(2) * (Rational(1) - t)) * H.entries()[k];
            }
          }
          CHECK(!certainly(less(extremes(M).least + Ball(1e-9), Ball(mean))));
          CHECK(!certainly(less(Ball(most_mean), extremes(M).largest - Ball(1e-9))));
          CHECK(!certainly(less(extremes(N).least + Ball(1e-9), Ball(plain))));
        }
        // At a point, and near it.
        const heed::detail::HessianSeries point(p, c, FormDomain::ball(n, Rational(1e-12)));
        const auto ends = extremes(hessian(std::vector<double>(n), Rational(0)));
        const double slack = 1e-6 * heed::approx::to_double(ends.norm());
        CHECK(!certainly(less(Ball(point.least(1, 1) + slack), ends.least)));
        CHECK(!certainly(less(ends.largest, Ball(point.most(1, 1) - slack))));
      }
}

TEST_CASE("where the slope of the Hessian vanishes the rest alone bounds it") {
  const LandscapeProblem p = landscape_test::sm1();
  const heed::LandscapeModel landscape(p);
  for (const std::string r : {"1/50", "1/500"}) {
    const Rational radius = Rational::parse(r);
    const heed::detail::HessianSeries series(p, p.start(), FormDomain::ball(5, radius));
    std::vector<Rational> theta(5);
    theta[3] = radius;
    const Ball there = extremes(landscape.at(theta).hessian(p.trained)).least;
    CHECK(certainly(less(there, Ball(Rational(37, 125)))));
    CHECK(certainly(less(Ball(series.least(1, 1)), there)));
    CHECK(series.least(1, 1) > (r == "1/50" ? -1 : 0.28));
    const auto cells = heed::detail::diagonal_curvature(p, std::vector<Rational>(5),
                                                        std::vector<Rational>(5, radius));
    CHECK(certainly(less(Ball(cells.least), there)));
    CHECK(cells.least > (r == "1/50" ? -1 : 0.28));
  }
}

}  // namespace
