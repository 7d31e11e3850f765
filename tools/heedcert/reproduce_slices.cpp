// SPDX-License-Identifier: Apache-2.0
// The landscape around the ends of two-stage training, in which only the kernel of the second stage
// differs.
#include <cstdio>

#include "heat_map.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/train/curvature_ends.hpp"
#include "heed/train/loss_slice.hpp"
#include "heed/train/reference_runs.hpp"
#include "reproduce.hpp"

namespace heedcert {
namespace {

using heed::AttentionKernel;
using namespace heed::approx;

constexpr double step = 0.1;
constexpr std::size_t first_stage = 100, second_stage = 900;
struct End {
  std::string name;
  std::vector<ReproducedValue> values;
  LossSlice slice;
};

DescentRun descend(FastKernel& model, std::size_t steps) {
  return gradient_descent(model, {.step = constant_step(step), .steps = steps, .mean_loss = true});
}

End second_stage_end(const heed::KernelInputs<double>& inputs,
                     const heed::KernelWeights<double>& start, AttentionKernel kernel,
                     std::size_t seed) {
  FastKernel model(inputs, kernel, start);
  const DescentRun run = descend(model, second_stage);
  End end{std::string(heed::kernel_word(kernel)) + ", seed " + std::to_string(seed), {}, {}};
  heed::SplitMix64 stream(8000 + seed);
  const auto u = filter_normalised_direction(model.weights(), model.trained(), stream);
  const auto v = filter_normalised_direction(model.weights(), model.trained(), stream);
  end.slice = loss_slice(model, u, v);
  const SliceCurvature c = slice_curvature(end.slice);
  const CurvatureEnds h = curvature_ends(model);
  const double samples = static_cast<double>(model.samples());
  const auto add = [&](const char* quantity, double x) {
    end.values.push_back({end.name, quantity, x});
  };
  add("loss", run.loss);
  add("gradient norm", run.gradient_norm);
  add("lambda_max", h.largest.value / samples);
  add("lambda_min", h.least.value / samples);
  add("slice, largest curvature", c.largest);
  add("slice, least curvature", c.least);
  add("slice, share not convex", c.negative_share);
  add("slice, negative / largest", c.negative_ratio);
  add("slice, range of losses", c.range);
  return end;
}

Reproduction run_slices(const ReproduceOptions& o) {
  Reproduction r;
  r.seeds = o.seeds == 0 ? 1 : o.seeds;
  std::vector<End> ends(r.seeds * std::size(heed::attention_kernels));
  heed::parallel_for(r.seeds, [&](std::size_t seed) {
    const LayerProblem problem = layer_problem(LayerTask::token_task, seed);
    const heed::KernelInputs<double> inputs(problem.training);
    FastKernel first(inputs, AttentionKernel::softmax,
                     heed::weights_as<double>(problem.training.weights));
    descend(first, first_stage);
    for (std::size_t k = 0; k < std::size(heed::attention_kernels); ++k)
      ends[seed * std::size(heed::attention_kernels) + k] =
          second_stage_end(inputs, first.weights(), heed::attention_kernels[k], seed);
  });
  std::vector<HeatPanel> panels;
  std::string table = "run,a,b,loss\n";
  for (const End& end : ends) {
    r.values.insert(r.values.end(), end.values.begin(), end.values.end());
    if (panels.size() < std::size(heed::attention_kernels))
      panels.push_back({end.name, end.slice.losses});
    for (std::size_t i = 0; i < end.slice.losses.rows(); ++i)
      for (std::size_t j = 0; j < end.slice.losses.cols(); ++j) {
        char line[128];
        std::snprintf(line, sizeof line, ",%.17g,%.17g,%.17g\n", end.slice.coordinate(i),
                      end.slice.coordinate(j), end.slice.losses(i, j));
        table += '"' + end.name + '"' + line;
      }
  }
  r.picture = heat_map(panels,
                       "f/N around the end of training, filter-normalised plane [-1, 1]^2: token "
                       "task, 100 steps of softmax, then 900 with the kernel named");
  r.table = table;
  r.notes.push_back(
      "token task, step 0.1: 100 steps with softmax, then 900 with each kernel from that point; "
      "the "
      "slices use the same random numbers");
  return r;
}

}  // namespace

std::vector<Experiment> slice_experiments() {
  return {{"kernel.slices", "planes through the ends of training with each kernel", 1, run_slices}};
}

}  // namespace heedcert
