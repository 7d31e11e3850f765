// SPDX-License-Identifier: Apache-2.0
// Spectra on which Spectra's solver as it comes and power iteration report success and a wrong least
// eigenvalue. Both facts are kept: that ours is right, and that the others are wrong.
#include "heed/linalg/lanczos.hpp"

#include <Eigen/Core>
#include <Spectra/SymEigsSolver.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using heed::Extreme;
using heed::approx::LanczosOptions;
using heed::approx::LanczosResult;
using heed::approx::LinearOperator;
using heed::approx::thick_restart_lanczos;

namespace {

using Vector = Eigen::VectorXd;

/// Q diag(d) Q, Q the product of three random Householder reflections.
LinearOperator rotated(const std::vector<double>& d) {
  const auto n = static_cast<Eigen::Index>(d.size());
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<Vector> mirrors;
  for (int k = 0; k < 3; ++k)
    mirrors.push_back(Vector::NullaryExpr(n, [&] { return normal(random); }).normalized());
  return {d.size(), [d, n, mirrors](const double* x, double* y) {
            Vector v = Eigen::Map<const Vector>(x, n);
            for (int k = 0; k < 3; ++k)
              v -= 2 * mirrors[static_cast<std::size_t>(k)].dot(v) *
                   mirrors[static_cast<std::size_t>(k)];
            for (Eigen::Index k = 0; k < n; ++k) v[k] *= d[static_cast<std::size_t>(k)];
            for (int k = 2; k >= 0; --k)
              v -= 2 * mirrors[static_cast<std::size_t>(k)].dot(v) *
                   mirrors[static_cast<std::size_t>(k)];
            Eigen::Map<Vector>(y, n) = v;
          }};
}

struct SpectraOperator {
  using Scalar = double;
  const LinearOperator& a;
  Eigen::Index rows() const { return static_cast<Eigen::Index>(a.size); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* x, double* y) const { a.apply(x, y); }
};

struct Answer {
  double value;
  bool successful;
};

Answer bare_spectra(const LinearOperator& a, int basis) {
  SpectraOperator op{a};
  Spectra::SymEigsSolver<SpectraOperator> solver(op, 1, basis);
  solver.init();
  const auto found = solver.compute(Spectra::SortRule::SmallestAlge, 300, 1e-10);
  return {found > 0 ? solver.eigenvalues()[0] : std::nan(""),
          solver.info() == Spectra::CompInfo::Successful};
}

// The usual power iteration of curvature tools: relative change 1e-3 with 1e-6 added, 100 products.
double dominant(const LinearOperator& a, double shift) {
  const auto n = static_cast<Eigen::Index>(a.size);
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  Vector v = Vector::NullaryExpr(n, [&] { return normal(random); }).normalized(), w(n);
  double value = 0;
  for (int k = 0; k < 100; ++k) {
    a.apply(v.data(), w.data());
    w -= shift * v;
    const double next = v.dot(w);
    v = w.normalized();
    const bool stop = k > 0 && std::fabs(next - value) / (std::fabs(value) + 1e-6) < 1e-3;
    value = next;
    if (stop) break;
  }
  return value;
}

double power_least(const LinearOperator& a) {
  const double first = dominant(a, 0);
  return first < 0 ? first : dominant(a, first) + first;
}

std::vector<double> spectrum(std::size_t n, const std::function<double(std::size_t)>& f) {
  std::vector<double> d(n);
  for (std::size_t k = 0; k < n; ++k) d[k] = f(k);
  return d;
}

LanczosResult least(const LinearOperator& a) { return thick_restart_lanczos(a, Extreme::smallest); }

}  // namespace

TEST_CASE("Exactly singular, rank 64 of 2000: ours 0, Spectra reports the least positive one") {
  const auto a = rotated(
      spectrum(2000, [](std::size_t k) { return k < 64 ? 0.01 * static_cast<double>(k + 1) : 0; }));
  const LanczosResult r = least(a);
  CHECK(std::fabs(r.value) < 1e-14);
  CHECK(r.residual < 1e-12);
  CHECK(r.converged);
  const Answer other = bare_spectra(a, 20);
  CHECK(other.successful);
  CHECK(other.value > 0.005);
}

TEST_CASE("Norm 1e-18: ours keeps its relative accuracy, Spectra reports success far away") {
  const auto a =
      rotated(spectrum(60, [](std::size_t k) { return 1e-18 * (static_cast<double>(k) - 20.5); }));
  const LanczosResult r = least(a);
  CHECK(std::fabs(r.value / 1e-18 + 20.5) < 1e-11);
  CHECK(r.converged);
  const Answer other = bare_spectra(a, 20);
  CHECK(other.successful);
  CHECK(std::fabs(other.value / 1e-18 + 20.5) > 1);
}

TEST_CASE("Cluster of 1950 eigenvalues within 1e-8 under 50 large ones") {
  const auto a = rotated(spectrum(2000, [](std::size_t k) {
    return k < 50 ? 1 + static_cast<double>(k) : 1e-8 * std::sin(static_cast<double>(k));
  }));
  const LanczosResult r = least(a);
  CHECK(std::fabs(r.value + 1e-8) < 1e-9);
  CHECK(r.residual < 1e-9);
  CHECK(std::fabs(power_least(a)) > 1e-6);
}

TEST_CASE("Spectrum symmetric about 0, as at zero initialisation") {
  const auto a = rotated(spectrum(400, [](std::size_t k) {
    const double x = 1 / (1 + 0.02 * static_cast<double>(k / 2));
    return k % 2 == 0 ? x : -x;
  }));
  const LanczosResult r = least(a);
  CHECK(std::fabs(r.value + 1) < 1e-12);
  CHECK(r.residual < 1e-10);
  CHECK(std::fabs(thick_restart_lanczos(a, Extreme::largest).value - 1) < 1e-12);
  CHECK(std::fabs(power_least(a) + 1) > 1e-2);
}

TEST_CASE("Late training, norm 1e-5: power iteration stops at once, with the wrong sign") {
  const auto a = rotated(spectrum(500, [](std::size_t k) {
    return k < 60 ? 1e-5 * std::pow(0.9, static_cast<double>(k))
                  : -1e-7 * static_cast<double>(k) / 500.0;
  }));
  const LanczosResult r = least(a);
  CHECK(std::fabs(r.value / (-1e-7 * 499 / 500) - 1) < 1e-9);
  CHECK(r.residual < 1e-15);
  CHECK(std::fabs(power_least(a) / (-1e-7 * 499 / 500) - 1) > 0.5);
}

TEST_CASE("Restarts: a slowly converging end is reached with a small basis") {
  const auto a = rotated(
      spectrum(600, [](std::size_t k) { return std::cos(0.004 * static_cast<double>(k)); }));
  LanczosOptions options;
  options.basis = 25;
  const LanczosResult r = thick_restart_lanczos(a, Extreme::smallest, options);
  CHECK(r.converged);
  CHECK(std::fabs(r.value - std::cos(0.004 * 599)) < 1e-11);
  CHECK(std::fabs(thick_restart_lanczos(a, Extreme::largest, options).value - 1) < 1e-6);
}

TEST_CASE("Multiple extremes and tiny sizes; value and residual belong to the unit vector") {
  const auto twofold = rotated(spectrum(50, [](std::size_t k) { return k < 3 ? -2.0 : 1.0; }));
  CHECK(std::fabs(least(twofold).value + 2) < 1e-13);
  for (const std::vector<double>& d : {std::vector<double>{3},
                                       {-2, 5},
                                       {0, 0, 0},
                                       {1, 1, 1, 1},
                                       {5e-324, 0},
                                       {1e308, -1e308, 1e307}}) {
    const LinearOperator a{d.size(), [&](const double* x, double* y) {
                             for (std::size_t k = 0; k < d.size(); ++k) y[k] = d[k] * x[k];
                           }};
    const LanczosResult r = least(a);
    INFO("first " << d[0]);
    REQUIRE(r.vector.size() == d.size());
    const double expected = *std::min_element(d.begin(), d.end());
    const double norm = std::fabs(*std::max_element(
        d.begin(), d.end(), [](double x, double y) { return std::fabs(x) < std::fabs(y); }));
    CHECK(std::fabs(r.value - expected) <= 1e-13 * norm + 5e-324);
    double squares = 0;
    for (const double x : r.vector) squares += x * x;
    CHECK(std::fabs(squares - 1) < 1e-14);
  }
}

TEST_CASE("Operators that return NaN or infinity give a vector and no convergence") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const LinearOperator a{4, [&](const double* x, double* y) {
                             for (int k = 0; k < 4; ++k) y[k] = bad * x[k];
                           }};
    LanczosResult r;
    CHECK_NOTHROW(r = least(a));
    CHECK(r.vector.size() == 4);
    CHECK_FALSE(r.converged);
  }
}
