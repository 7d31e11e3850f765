// SPDX-License-Identifier: Apache-2.0
// Operators on which an unscaled, unshifted Lanczos solver reports success and a wrong value.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "heed/linalg/approx_eigen.hpp"

using heed::Extreme;
using heed::approx::lanczos_extreme;
using heed::approx::LanczosResult;
using heed::approx::LinearOperator;

namespace {

/// Q diag(d) Q with the orthogonal symmetric Q = cosine transform of type IV, applied plainly.
LinearOperator rotated(const std::vector<double>& d) {
  const std::size_t n = d.size();
  std::vector<double> q(n * n);
  const double size = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      q[i * n + k] =
          std::sqrt(2 / size) * std::cos(std::numbers::pi / size * (static_cast<double>(i) + 0.5) *
                                         (static_cast<double>(k) + 0.5));
  return {n, [q, d, n](const double* x, double* y) {
            std::vector<double> z(n);
            for (std::size_t i = 0; i < n; ++i) {
              if (d[i] == 0) continue;
              for (std::size_t k = 0; k < n; ++k) z[i] += q[i * n + k] * x[k];
              z[i] *= d[i];
            }
            for (std::size_t k = 0; k < n; ++k) y[k] = 0;
            for (std::size_t i = 0; i < n; ++i)
              if (z[i] != 0)
                for (std::size_t k = 0; k < n; ++k) y[k] += q[i * n + k] * z[i];
          }};
}

LinearOperator diagonal(std::vector<double> d) {
  const std::size_t n = d.size();
  return {n, [d = std::move(d)](const double* x, double* y) {
            for (std::size_t k = 0; k < d.size(); ++k) y[k] = d[k] * x[k];
          }};
}

double unit_error(const LanczosResult& r) {
  double sum = 0;
  for (const double x : r.vector) sum += x * x;
  return std::fabs(sum - 1);
}

}  // namespace

TEST_CASE("Lanczos finds the null space of a semidefinite matrix of rank 64") {
  std::vector<double> d(2000);
  for (std::size_t k = 0; k < 64; ++k) d[k] = 0.01 * static_cast<double>(k + 1);
  const LanczosResult r = lanczos_extreme(rotated(d), Extreme::smallest);
  CHECK(std::fabs(r.value) < 1e-10);
  CHECK(r.residual < 1e-8);
  CHECK(unit_error(r) < 1e-10);
  CHECK(r.vector.size() == 2000);
  const LanczosResult top = lanczos_extreme(rotated(d), Extreme::largest);
  CHECK(std::fabs(top.value - 0.64) < 1e-10);
}

TEST_CASE("Lanczos keeps relative accuracy at any norm") {
  for (const double scale : {1e-310, 1e-300, 1e-18, 1e-14, 1.0, 1e18, 1e300}) {
    std::vector<double> d(60);
    for (std::size_t k = 0; k < 60; ++k) d[k] = scale * (static_cast<double>(k) - 20.5);
    const LanczosResult least = lanczos_extreme(rotated(d), Extreme::smallest);
    const LanczosResult largest = lanczos_extreme(rotated(d), Extreme::largest);
    INFO(scale);
    const double tolerance = scale < 1e-305 ? 1e-8 : 1e-10;
    CHECK(std::fabs(least.value / scale + 20.5) < tolerance);
    CHECK(std::fabs(largest.value / scale - 38.5) < tolerance);
    CHECK(least.converged);
  }
}

TEST_CASE("Lanczos on a cluster of 1950 eigenvalues below 1e-8: a fair value and its residual") {
  std::vector<double> d(2000);
  for (std::size_t k = 0; k < 2000; ++k)
    d[k] = k < 50 ? 1 + static_cast<double>(k) : 1e-8 * std::sin(static_cast<double>(k));
  const LanczosResult r = lanczos_extreme(diagonal(d), Extreme::smallest);
  CHECK(std::fabs(r.value) <= 1.01e-8);
  CHECK(r.residual < 1e-6);
  CHECK(std::isfinite(r.residual));
  CHECK(unit_error(r) < 1e-10);
  const LanczosResult top = lanczos_extreme(diagonal(d), Extreme::largest);
  CHECK(std::fabs(top.value - 50) < 1e-10);
}

TEST_CASE("Lanczos on a negative spectrum") {
  std::vector<double> d(100);
  for (std::size_t k = 0; k < 100; ++k) d[k] = -1 - static_cast<double>(k * k);
  CHECK(std::fabs(lanczos_extreme(rotated(d), Extreme::smallest).value + 9802) < 1e-8);
  CHECK(std::fabs(lanczos_extreme(rotated(d), Extreme::largest).value + 1) < 1e-6);
}

TEST_CASE("Lanczos: residual and value belong to the vector") {
  std::vector<double> d(150);
  for (std::size_t k = 0; k < 150; ++k) d[k] = std::cos(static_cast<double>(k));
  const LinearOperator a = rotated(d);
  const LanczosResult r = lanczos_extreme(a, Extreme::largest);
  std::vector<double> av(150);
  a.apply(r.vector.data(), av.data());
  double value = 0, residual = 0;
  for (std::size_t k = 0; k < 150; ++k) value += r.vector[k] * av[k];
  for (std::size_t k = 0; k < 150; ++k) residual += std::pow(av[k] - value * r.vector[k], 2);
  CHECK(std::fabs(value - r.value) < 1e-12);
  CHECK(std::fabs(std::sqrt(residual) - r.residual) < 1e-12);
}

TEST_CASE("Lanczos never throws and never returns an empty vector") {
  const double nan = std::nan("");
  const std::vector<double> spectra[] = {{3},
                                         {-2, 5},
                                         {0, 0, 0},
                                         {1, 1, 1, 1},
                                         {1, nan},
                                         {nan, nan, 0},
                                         {HUGE_VAL, 1},
                                         {5e-324, 0},
                                         {1e308, -1e308, 1e307},
                                         std::vector<double>(90, 0.0)};
  for (const auto& d : spectra)
    for (const Extreme end : {Extreme::smallest, Extreme::largest}) {
      INFO("size " << d.size() << ", first " << d[0]);
      LanczosResult r;
      CHECK_NOTHROW(r = lanczos_extreme(diagonal(d), end));
      CHECK(r.vector.size() == d.size());
    }
  CHECK(lanczos_extreme(diagonal({3}), Extreme::smallest).value == 3);
  CHECK(std::fabs(lanczos_extreme(diagonal({-2, 5}), Extreme::smallest).value + 2) < 1e-12);
}

TEST_CASE("Dense candidates: eigenvectors of the extremes, never empty") {
  heed::Matrix<double> a(3, 3);
  a(0, 0) = 1;
  a(1, 1) = -4;
  a(2, 2) = 9;
  const auto least = heed::approx::extreme_eigenvector(a, Extreme::smallest);
  const auto largest = heed::approx::extreme_eigenvector(a, Extreme::largest);
  CHECK(std::fabs(std::fabs(least[1]) - 1) < 1e-15);
  CHECK(std::fabs(std::fabs(largest[2]) - 1) < 1e-15);
  a(1, 0) = a(0, 1) = std::nan("");
  CHECK(heed::approx::extreme_eigenvector(a, Extreme::smallest).size() == 3);
  heed::Matrix<heed::Ball> tiny(2, 2);
  tiny(0, 0) = ldexp(heed::Ball(1), -5000);
  tiny(1, 1) = ldexp(heed::Ball(-3), -5000);
  const auto v = heed::approx::extreme_eigenvector(tiny, Extreme::smallest);
  CHECK(std::fabs(std::fabs(v[1]) - 1) < 1e-15);
}
