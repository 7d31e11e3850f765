// SPDX-License-Identifier: Apache-2.0
// Query attention: one JSON line a measurement,
//   {"name", "n", "T", "d", "seconds", "error"}   processor time of one call, median; error: largest
//                                                 radius over the largest entry, where one is proved
//
//   bench_query [SECONDS]                         budget of each measurement, default 0.5
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>

#include "heed/attention/query_kernel.hpp"
#include "heed/attention/query_scaled.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "random_inputs.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::Matrix;
using heed::QueryInputs;
using heed::QueryInstance;
using heed::QueryLoss;
using heed::QueryModel;
using heed::Rational;
using heed::bench::median_seconds;

struct Size {
  std::size_t n, T, d;
};

template <class S>
Matrix<S> weights(std::size_t d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix<S> W(d, d);
  for (S& w : W.entries()) w = S(3 * normal(random));
  return W;
}

void row(const char* name, const Size& s, double seconds, std::optional<double> error = {}) {
  std::printf(
      "{\"name\": \"%s\", \"n\": %zu, \"T\": %zu, \"d\": %zu, \"seconds\": %.6e, \"error\": ", name,
      s.n, s.T, s.d, seconds);
  if (error) {
    std::printf("%.2e}\n", *error);
  } else {
    std::printf("null}\n");
  }
}

template <class S>
void measure(const char* gradient_name, const char* product_name, const Size& s,
             const QueryInstance& instance, double budget) {
  QueryModel<S> model(std::make_shared<QueryInputs<S>>(instance, heed::LinearHead{}),
                      QueryLoss::logistic);
  const Matrix<S> W = weights<S>(s.d, 2), D = weights<S>(s.d, 3);
  Matrix<S> gradient;
  const double seconds = median_seconds(budget, [&] {
    model.evaluate(W);
    gradient = model.gradient();
  });
  std::optional<double> error;
  if constexpr (heed::Scalar<S>::rigorous) {
    double radius = 0, largest = 0;
    for (const S& x : gradient.entries()) {
      radius = std::max(radius, heed::approx::to_double(to_ball(x).radius()));
      largest = std::max(largest, std::fabs(heed::approx::to_double(x)));
    }
    error = radius / largest;
  }
  row(gradient_name, s, seconds, error);
  row(product_name, s, median_seconds(budget, [&] { model.hessian_vector_product(D); }));
}

void measure_descent(const Size& s, const QueryInstance& instance, double budget) {
  const auto inputs = std::make_shared<QueryInputs<double>>(instance, heed::LinearHead{});
  const Matrix<double> W = weights<double>(s.d, 2);
  QueryModel<double> model(inputs, QueryLoss::logistic);
  row("scaled_gradient", s, median_seconds(budget, [&] {
        model.evaluate(W);
        scaled_query_gradient(model).direction(*inputs);
      }));
  if (s.n * (s.T - 1) > 1000) return;
  heed::QueryKernel<double> kernel(inputs, QueryLoss::logistic, std::vector<std::size_t>(s.n, 0),
                                   W);
  row("kernel_step", s, median_seconds(budget, [&] {
        const std::vector<double> c = kernel.gradient_coefficients();
        std::vector<double> gaps = kernel.gram_times(c);
        for (std::size_t k = 0; k < gaps.size(); ++k) gaps[k] = kernel.gaps()[k] - 1e-9 * gaps[k];
        kernel.evaluate_at_gaps(std::move(gaps));
      }));
}

}  // namespace

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.5;
  if (argc > 2 || !(budget > 0)) {
    std::fprintf(stderr, "usage: bench_query [SECONDS]\n");
    return 64;
  }
  for (const Size& s : {Size{6, 8, 10}, {20, 10, 20}, {50, 16, 32}, {32, 64, 64}}) {
    const QueryInstance instance = heed::bench::unit_instance(s.n, s.T, s.d);
    measure<double>("gradient", "hvp", s, instance, budget);
    measure_descent(s, instance, budget);
    measure<DoubleBall>("enclosed_gradient", "enclosed_hvp", s, instance, budget);
    const heed::PrecisionScope precision(128);
    measure<Ball>("ball_gradient", "ball_hvp", s, instance, budget);
  }
}
