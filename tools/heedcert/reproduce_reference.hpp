// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "heed/train/reference_runs.hpp"

namespace heedcert {

/// Steps at which the reference records losses; the last is the end of a run.
inline constexpr std::array<std::size_t, 6> marked_steps = {0, 10, 30, 100, 300, 1000};
/// The reference has no finite value.
inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Results of ten runs of the reference: means of f/N over those that did not diverge.
struct LayerReference {
  heed::approx::LayerTask task;
  heed::AttentionKernel kernel;
  double step;
  std::array<double, 6> losses;  ///< at marked_steps
  double deviation, median;      ///< at the end
  std::size_t diverged;
  double test_accuracy;
};
/// Those of E3, E4, E5 and (step 0.03) E6.
const std::vector<LayerReference>& layer_references();

/// Curvature of f/N in the run of one seed with the best step.
struct CurvatureReference {
  heed::approx::LayerTask task;
  heed::AttentionKernel kernel;
  std::size_t seed;
  struct Ends {
    double least, largest;
  };
  std::array<Ends, 3> hessian;  ///< at 0, 100 and 1000 steps
  struct Slice {
    double largest, least, negative_share, negative_ratio, range;
  };
  std::array<Slice, 2> slices;  ///< at 0 and 1000 steps, along directions of another random stream
};
const std::vector<CurvatureReference>& curvature_references();

}  // namespace heedcert
