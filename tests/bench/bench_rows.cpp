// SPDX-License-Identifier: Apache-2.0
// Our side of the suites of tools/bench.sh: one JSON line a measurement,
//   {"name", "shape", "seconds", "error"}     processor time of one call, median; error: relative, proved
//
//   bench_rows SUITE SHAPE [SECONDS]          suites mha, lambda, precision
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_enclosed.hpp"
#include "heed/attention/mha_fast.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/numeric/precision.hpp"
#include "random_inputs.hpp"

namespace {

using heed::Ball;
using heed::EnclosedMha;
using heed::MhaInputs;
using heed::bench::median_seconds;
using heed::bench::Shape;

void row(const char* name, const Shape& s, double seconds, std::optional<double> error = {}) {
  std::printf("{\"name\": \"%s\", \"shape\": \"%s\", \"seconds\": %.6e, \"error\": ", name, s.name,
              seconds);
  if (error) {
    std::printf("%.2e}\n", *error);
  } else {
    std::printf("null}\n");
  }
}

double gradient_error(const EnclosedMha& e) {
  double radius = 0, largest = 0;
  for (std::size_t k = 0; k < e.parameters(); ++k) {
    radius = std::max(radius, e.gradient_radius(k));
    largest = std::max(largest, std::fabs(e.gradient()[k]));
  }
  return radius / largest;
}

MhaInputs<Ball> balls(const MhaInputs<double>& in) {
  const auto convert = [](double x) { return Ball(x); };
  MhaInputs<Ball> out;
  out.loss = in.loss;
  out.y = in.y;
  for (const auto& x : in.X) out.X.push_back(heed::map(x, convert));
  for (const auto& x : in.dX) out.dX.push_back(heed::map(x, convert));
  for (const auto& x : in.U) out.U.push_back(heed::map(x, convert));
  for (const auto& x : in.W) out.W.push_back(heed::map(x, convert));
  return out;
}

double ball_gradient_seconds(const MhaInputs<Ball>& in, double budget, int bits) {
  const heed::PrecisionScope precision(bits);
  return median_seconds(budget, [&] { heed::MhaModel<Ball>(in).gradient(); });
}

void suite_mha(const Shape& s, double budget) {
  const MhaInputs<double> in = heed::bench::random_inputs(s);
  heed::approx::FastMha fast(in);
  const std::vector<double> theta = fast.initial_parameters();
  std::vector<double> v(theta.size());
  EnclosedMha enclosed(in);
  row("gradient", s, median_seconds(budget, [&] { fast.evaluate(theta); }),
      gradient_error(enclosed));
  fast.hessian_vector_product(theta, v);
  row("hvp", s, median_seconds(budget, [&] { fast.hessian_vector_product(theta, v); }));
  row("enclosed_gradient", s, median_seconds(budget, [&] { enclosed.evaluate(theta); }),
      gradient_error(enclosed));
  if (s.T <= 8) {
    row("arb_gradient", s, ball_gradient_seconds(balls(in), budget, 53));
    row("hessian", s, median_seconds(budget, [&] { enclosed.hessian(); }));
  }
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(512, 512), b = a.transpose();
  Eigen::MatrixXd c(512, 512);
  const double gemm = median_seconds(budget, [&] { c.noalias() = a * b; });
  // The time that the flops of one gradient would take at the rate of a matrix product of order 512.
  row("at_gemm_rate", s, s.flops() * gemm / (2.0 * 512 * 512 * 512));
}

void suite_lambda(const Shape& s, double budget) {
  EnclosedMha enclosed(heed::bench::random_inputs(s));
  heed::FastEigenvalue e;
  const double hessian = median_seconds(budget, [&] { enclosed.hessian(); });
  const heed::PointSaddle a = enclosed.hessian();
  const double eigenvalue = median_seconds(budget, [&] { e = heed::fast_lambda_min(a); });
  row("hessian", s, hessian);
  row("lambda_min", s, hessian + eigenvalue,
      (e.upper - e.lower) / std::min(std::fabs(e.lower), std::fabs(e.upper)));
}

void suite_precision(const Shape& s, double budget) {
  const MhaInputs<Ball> in = balls(heed::bench::random_inputs(s));
  row("gradient_50_digits", s, ball_gradient_seconds(in, budget, 192));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string suite = argc > 1 ? argv[1] : "", name = argc > 2 ? argv[2] : "";
  const double budget = argc > 3 ? std::atof(argv[3]) : 0.5;
  for (const Shape& s : heed::bench::shapes) {
    if (name != s.name || !(budget > 0)) continue;
    if (suite == "mha") return suite_mha(s, budget), 0;
    if (suite == "lambda") return suite_lambda(s, budget), 0;
    if (suite == "precision") return suite_precision(s, budget), 0;
  }
  std::fprintf(stderr,
               "usage: bench_rows mha|lambda|precision tiny|small|medium|large [SECONDS]\n");
  return 64;
}
