// SPDX-License-Identifier: Apache-2.0
// Runs of gradient descent at 30 to 50 digits, repeated in balls by the kernel form and in double.
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/attention/query_kernel.hpp"
#include "heed/attention/query_scaled.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/query_support.hpp"

namespace {

using heed::Ball;
using heed::Matrix;
using heed::QueryInputs;
using heed::QueryKernel;
using heed::QueryModel;
using heed::Rational;
using heed::test::QueryCheckpoint;
using heed::test::QueryFixture;
using heed::test::QueryRun;

template <class S>
Matrix<S> in_scalar(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return heed::Scalar<S>::from(q); });
}

std::vector<std::size_t> selected(const QueryFixture& f) {
  std::vector<std::size_t> all;
  for (const auto& s : f.instance.selected) all.push_back(s.front());
  return all;
}

// Encloses a value of `digits` significant digits, and is as narrow as that.
void check(const char* what, const Ball& found, const Rational& value, int digits) {
  INFO(what);
  const Ball unit = Ball(abs(value)) * heed::power_of_ten(-digits);
  CHECK(found.overlaps(Ball(value) + Ball::symmetric(unit)));
  CHECK(certainly(less_equal(found.radius(), unit)));
}

// Steps in the span of the A_k: m += -eta G c, or over the norm of the gradient.
void follow(const QueryFixture& f, const QueryRun& run, long most, int digits) {
  const auto inputs = std::make_shared<QueryInputs<Ball>>(f.instance, heed::LinearHead{});
  QueryKernel<Ball> kernel(inputs, run.loss, selected(f), in_scalar<Ball>(run.start));
  Ball loss_before;
  long done = 0;
  for (const QueryCheckpoint& c : run.checkpoints) {
    if (c.steps > most) break;
    INFO(f.file << ", step " << c.steps);
    for (; done < c.steps; ++done) {
      loss_before = kernel.model().loss();
      const std::vector<Ball> gradient = kernel.gradient_coefficients();
      Ball step = -Ball(run.step);
      if (run.normalised) step /= sqrt(kernel.squared_norm_of(gradient));
      std::vector<Ball> gaps = kernel.gram_times(gradient);
      for (std::size_t k = 0; k < gaps.size(); ++k) gaps[k] = kernel.gaps()[k] + step * gaps[k];
      kernel.evaluate_at_gaps(std::move(gaps));
    }
    for (std::size_t k = 0; k < c.gaps.size(); ++k)
      check("gap", kernel.gaps()[k], c.gaps[k], digits);
    if (c.loss_before_step) check("loss before", loss_before, *c.loss_before_step, digits);
    if (c.loss) check("loss", kernel.model().loss(), *c.loss, digits);
    if (c.gradient_norm) {
      // The files' 50 digits were computed with 1 - s: so many of them are left.
      const bool tiny = *c.gradient_norm < Rational::parse("1e-20");
      check("norm of the gradient", sqrt(kernel.squared_norm_of(kernel.gradient_coefficients())),
            *c.gradient_norm, tiny ? 18 : digits);
    }
  }
  CHECK(done > 0);
}

TEST_CASE("gradient descent of the counterexample, by its Gram matrix in balls") {
  const heed::PrecisionScope precision(256);
  const QueryFixture f = heed::test::query_fixture("attsvm_15_counterexample_global.json");
  REQUIRE(f.runs.size() == 4);
  for (const QueryRun& run : f.runs) follow(f, run, 400, 28);
}

TEST_CASE("normalised descent of the experiment's data, by its Gram matrix in balls") {
  const heed::PrecisionScope precision(640);
  for (const char* name : {"attsvm_traj_seed0.json", "attsvm_traj_seed1.json"}) {
    const QueryFixture f = heed::test::query_fixture(name);
    REQUIRE(f.runs.size() == 1);
    follow(f, f.runs[0], 2000, 27);
  }
}

TEST_CASE("in double the scaled gradient follows 2000 steps at 50 digits") {
  for (const char* name : {"attsvm_traj_seed0.json", "attsvm_traj_seed1.json"}) {
    const QueryFixture f = heed::test::query_fixture(name);
    const QueryRun& run = f.runs.at(0);
    const auto inputs = std::make_shared<QueryInputs<double>>(f.instance, heed::LinearHead{});
    Matrix<double> W = in_scalar<double>(run.start);
    QueryModel<double> model(inputs, run.loss, W);
    long done = 0;
    for (const QueryCheckpoint& c : run.checkpoints) {
      for (; done < c.steps; ++done) {
        const Matrix<double> G = heed::scaled_query_gradient(model).direction(*inputs);
        const double step = 0.1 / std::sqrt(squared_norm(G));
        for (std::size_t k = 0; k < W.size(); ++k) W.data()[k] -= step * G.data()[k];
        model.evaluate(W);
      }
      INFO(f.file << ", step " << c.steps);
      CHECK(std::sqrt(squared_norm(W)) == Approx(c.norm.value().nearest_double()).epsilon(1e-10));
      if (c.loss) CHECK(model.loss() == Approx(c.loss->nearest_double()).epsilon(1e-10));
      if (c.gradient_norm)
        CHECK(std::sqrt(squared_norm(model.gradient())) ==
              Approx(c.gradient_norm->nearest_double()).epsilon(1e-8).margin(0));
    }
    CHECK(done == 2000);
  }
}

}  // namespace
