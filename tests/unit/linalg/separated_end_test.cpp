// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/separated_end.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/numeric/precision.hpp"

using namespace heed;

namespace {

// Q diag(values) Q for the reflection Q = I - 2 w w^T / w.w: known eigenvalues and vectors.
Matrix<double> reflected(const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<double> w;
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    w.push_back(std::sin(1.0 + 2.0 * static_cast<double>(k)));
    squares += w[k] * w[k];
  }
  Matrix<double> q(n, n), a(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) q(i, j) = (i == j ? 1.0 : 0.0) - 2 * w[i] * w[j] / squares;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) a(i, j) += q(i, k) * values[k] * q(j, k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  return a;
}

PointSaddle point(const std::vector<double>& values) {
  std::vector<SaddleBlock<double>> blocks{{{}, reflected(values)}};
  return PointSaddle(std::move(blocks), {}, 1e-12);
}

std::vector<Ball> balls(const std::vector<double>& v) { return {v.begin(), v.end()}; }

}  // namespace

TEST_CASE("separated ends: the end is enclosed, and the others lie beyond") {
  std::vector<double> values;
  for (int k = 0; k < 40; ++k) values.push_back(std::cos(0.7 * k) * (1 + 0.1 * k));
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const PointSaddle a = point(values);
  const FastInertia inertia(a);
  const SeparatedEnd least = separated_end(inertia, Extreme::smallest),
                     largest = separated_end(inertia, Extreme::largest);
  CHECK(least.end.lower <= sorted[0]);
  CHECK(sorted[0] <= least.end.upper);
  CHECK(least.end.upper - least.end.lower < 1e-8);
  CHECK(largest.end.lower <= sorted[39]);
  CHECK(sorted[39] <= largest.end.upper);
  REQUIRE(least.others);
  CHECK(*least.others > least.end.upper);
  CHECK(*least.others <= sorted[1] + 1e-9);
  REQUIRE(largest.others);
  CHECK(*largest.others < largest.end.lower);
  CHECK(*largest.others >= sorted[38] - 1e-9);
}

TEST_CASE("separated ends: a shift on the wrong side of the next eigenvalue bounds nothing") {
  const PointSaddle a = point({-2, -1, 1, 3, 4, 6});
  const FastInertia inertia(a);
  const double unit = std::ldexp(1.0, -a.exponent());
  const auto least = [&](double s) { return bound_others(inertia, Extreme::smallest, s * unit); };
  const auto largest = [&](double s) { return bound_others(inertia, Extreme::largest, s * unit); };
  REQUIRE(least(-1.5));
  CHECK(*least(-1.5) == Approx(-1.5));
  CHECK(*least(-1.5) <= -1.5);
  CHECK_FALSE(least(-0.5));
  CHECK_FALSE(least(2));
  REQUIRE(largest(5));
  CHECK(*largest(5) == Approx(5));
  CHECK(*largest(5) >= 5);
  CHECK_FALSE(largest(3.5));
  CHECK_FALSE(largest(-1.5));
}

TEST_CASE("separated ends: a double eigenvalue has no others") {
  const PointSaddle a = point({-2, -2, 1, 3, 5, 5, 0, 0.5});
  const FastInertia inertia(a);
  const SeparatedEnd least = separated_end(inertia, Extreme::smallest),
                     largest = separated_end(inertia, Extreme::largest);
  CHECK(least.end.upper - least.end.lower < 1e-8);
  CHECK_FALSE(least.others);
  CHECK_FALSE(largest.others);
}

TEST_CASE("separated ends: scale and what is not finite") {
  const std::vector<double> values{-3e-200, 1e-200, 2e-200, 7e-200};
  const PointSaddle small({{{}, reflected(values)}}, {});
  const SeparatedEnd tiny = separated_end(FastInertia(small), Extreme::smallest);
  CHECK(tiny.end.lower <= -3e-200);
  CHECK(tiny.end.upper >= -3e-200 * (1 + 1e-12));
  REQUIRE(tiny.others);
  CHECK(*tiny.others <= 1e-200 * (1 + 1e-9));
  CHECK(*tiny.others > -3e-200);
  Matrix<double> broken = reflected(values);
  broken(1, 1) = NAN;
  const PointSaddle nothing({{{}, broken}}, {});
  const SeparatedEnd none = separated_end(FastInertia(nothing), Extreme::smallest);
  CHECK_FALSE(none.others);
  CHECK(std::isinf(none.end.upper));
}

TEST_CASE("Kato and Temple: the square of the residual, on the right side") {
  const PrecisionScope scope(200);
  // diag(1, 2, 5), v = (1, e, 0): theta = (1 + 2 e^2)/(1 + e^2), the end is exactly attained at others = 2.
  for (const double e : {0.5, 0.1, 1e-10, 1e-25}) {
    const std::vector<Ball> v = balls({1, e, 0}), Av{Ball(1), Ball(2) * Ball(e), Ball(0)};
    const RayleighBounds bounds = rayleigh_bounds(v, Av);
    const auto found = temple_enclosure(bounds, Extreme::smallest, Ball(2));
    REQUIRE(found);
    CHECK(found->overlaps(Ball(1)));
    CHECK(certainly(less(found->radius(), Ball(2 * e * e))));
    // The bound is the end itself here, up to the 30 bits of a radius: nothing tighter is true.
    const Ball slack = Ball::symmetric(Ball(1e-8 * e * e));
    CHECK(found->lower().overlaps(Ball(1) + slack));
    const std::vector<Ball> minus{Ball(-1), Ball(-2) * Ball(e), Ball(0)};
    const auto mirrored = temple_enclosure(rayleigh_bounds(v, minus), Extreme::largest, Ball(-2));
    REQUIRE(mirrored);
    CHECK(mirrored->upper().overlaps(Ball(-1) + slack));
    CHECK_FALSE(temple_enclosure(bounds, Extreme::smallest, Ball(1)));
    CHECK_FALSE(temple_enclosure(bounds, Extreme::largest, Ball(2)));
  }
  CHECK_FALSE(
      temple_enclosure(rayleigh_bounds(balls({0, 0}), balls({0, 0})), Extreme::smallest, Ball(1)));
}

TEST_CASE("conjugate gradients on the complement of an eigenvector") {
  std::vector<double> values;
  for (int k = 0; k < 30; ++k) values.push_back(k == 0 ? -1.5 : 0.2 * k);
  const Matrix<double> m = reflected(values);
  const approx::LinearOperator a{30, [&](const double* x, double* y) {
                                   for (std::size_t i = 0; i < 30; ++i) {
                                     y[i] = 0;
                                     for (std::size_t j = 0; j < 30; ++j) y[i] += m(i, j) * x[j];
                                   }
                                 }};
  const PointSaddle stored = point(values);
  const std::vector<double> v = separated_end(FastInertia(stored), Extreme::smallest).end.vector;
  std::vector<double> b;
  for (int k = 0; k < 30; ++k) b.push_back(std::cos(k));
  const std::vector<double> x = approx::complement_solve(a, -1.5, Extreme::smallest, v, b);
  std::vector<double> Ax(30);
  a.apply(x.data(), Ax.data());
  double along = 0, vb = 0, error = 0;
  for (std::size_t k = 0; k < 30; ++k) {
    along += v[k] * x[k];
    vb += v[k] * b[k];
  }
  for (std::size_t k = 0; k < 30; ++k)
    error = std::max(error, std::fabs(Ax[k] + 1.5 * x[k] - (b[k] - vb * v[k])));
  CHECK(std::fabs(along) < 1e-8);
  CHECK(error < 1e-7);
}
