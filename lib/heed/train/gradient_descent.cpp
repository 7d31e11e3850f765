// SPDX-License-Identifier: Apache-2.0
#include "heed/train/gradient_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::approx {
namespace {

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

}  // namespace

StepRule constant_step(double size) {
  return [size](std::size_t) { return size; };
}

DescentRun gradient_descent(FastKernel& model, const DescentOptions& options) {
  const double scale = options.mean_loss ? 1 / static_cast<double>(model.samples()) : 1;
  DescentRun run;
  std::vector<double> theta(model.parameter_values().begin(), model.parameter_values().end());
  std::vector<double> gradient(theta.size()), previous;
  double moved = 0;  // |theta_t - theta_{t-1}|
  for (std::size_t t = 0;; ++t) {
    if (t > 0) model.evaluate(theta);
    const double f = model.loss();
    run.steps = t;
    if (model.underflow() && !run.underflow_at) run.underflow_at = t;
    if (!(f <= options.diverged_above)) {
      run.diverged_at = t;
      run.loss = std::numeric_limits<double>::infinity();
      run.gradient_norm = run.loss;
      return run;
    }
    std::transform(model.gradient().begin(), model.gradient().end(), gradient.begin(),
                   [scale](double g) { return scale * g; });
    const bool last = t == options.steps;
    if (last || std::find(options.record.begin(), options.record.end(), t) != options.record.end())
      run.marks.push_back({t, scale * f});
    if (t > 0 && moved > 1e-12)
      run.gradient_lipschitz =
          std::max(run.gradient_lipschitz, distance(gradient, previous) / moved);
    if (last) {
      run.loss = scale * f;
      run.gradient_norm = norm(gradient);
      return run;
    }
    const double eta = options.step(t);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= eta * gradient[k];
    moved = std::fabs(eta) * norm(gradient);
    previous = gradient;
  }
}

}  // namespace heed::approx
