// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "heed/attention/kernel_fast.hpp"

namespace heed::approx {

/// The rule that gives the step size of every step.
using StepRule = std::function<double(std::size_t step)>;
StepRule constant_step(double size);

struct DescentOptions {
  StepRule step = constant_step(0.1);
  std::size_t steps = 1000;
  /// Descend on f / N, N the number of samples, and report its values; else on f.
  bool mean_loss = false;
  /// Steps whose loss is recorded, besides the last; 0 is the start.
  std::vector<std::size_t> record = {};
  /// A run with f above this, or not finite, has diverged.
  double diverged_above = 1e9;
};

struct DescentRun {
  struct Mark {
    std::size_t step;
    double loss;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  std::vector<Mark> marks;   ///< recorded steps in rising order; the last step is the final one
  double loss = 0;           ///< at the end; infinite if the run diverged
  double gradient_norm = 0;  ///< at the end
  std::size_t steps = 0;     ///< that were made
  std::optional<std::size_t> diverged_at;   ///< first step at which the loss was too large
  std::optional<std::size_t> underflow_at;  ///< first step at which an attention entry was 0
  /// max_t |g_{t+1} - g_t| / |theta_{t+1} - theta_t|, over steps longer than 1e-12: a lower bound, up
  /// to rounding, of the Lipschitz constant of the gradient along the run.
  double gradient_lipschitz = 0;

  bool diverged() const { return diverged_at.has_value(); }
};

/// Plain full-batch gradient descent theta_{t+1} = theta_t - eta_t grad(theta_t) over the trained
/// blocks of the model, from where it stands; it is left at the last point. Deterministic.
///
/// NOT guaranteed: anything about the exact trajectory; rounding errors may decide whether a run with
/// a large step diverges. A small gradient after an underflow says nothing about stationarity.
/// Cost: one gradient a step. Reference runs: docs/experiments.md.
DescentRun gradient_descent(FastKernel& model, const DescentOptions& options);

}  // namespace heed::approx
