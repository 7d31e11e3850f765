// SPDX-License-Identifier: Apache-2.0
#include "heed/train/reference_runs.hpp"

#include <cmath>
#include <utility>

namespace heed::approx {
namespace {

constexpr std::size_t training_samples = 32, testing_samples = 128;

// Moves the samples from `first` on to data of their own.
KernelData split(KernelData& data, std::size_t first) {
  const auto at = static_cast<std::ptrdiff_t>(first);
  KernelData rest;
  rest.X.assign(std::make_move_iterator(data.X.begin() + at),
                std::make_move_iterator(data.X.end()));
  rest.Y.assign(std::make_move_iterator(data.Y.begin() + at),
                std::make_move_iterator(data.Y.end()));
  data.X.resize(first);
  data.Y.resize(first);
  return rest;
}

double accuracy(const FastKernel& model, const KernelInstance& instance) {
  double right = 0;
  for (std::size_t i = 0; i < instance.samples(); ++i)
    right += model.outputs(i)(0, 0) * instance.Y[i](0, 0).nearest_double() > 0 ? 1 : 0;
  return right / static_cast<double>(instance.samples());
}

Matrix<double> stacked(const Matrix<double>& top, const Matrix<double>& bottom) {
  Matrix<double> m(top.rows() + bottom.rows(), top.cols());
  std::copy(top.entries().begin(), top.entries().end(), m.data());
  std::copy(bottom.entries().begin(), bottom.entries().end(), m.row(top.rows()));
  return m;
}

}  // namespace

LayerProblem layer_problem(LayerTask task, std::uint64_t seed_number) {
  const KernelShape shape{task == LayerTask::pathfinder ? 13u : 16u, 8, 8, 1, 2};
  SplitMix64 weight_stream(7000 + seed_number);
  const KernelWeights<double> weights = normal_weights(weight_stream, shape);
  const KernelBeta beta = inverse_root_beta(shape.key_dim);
  if (task == LayerTask::regression) {
    SplitMix64 stream(4000 + seed_number);
    return {kernel_instance(normal_data(stream, 4, 4, shape.dim, 4, 1), weights, token_readout(4),
                            beta),
            std::nullopt};
  }
  const std::size_t all = training_samples + testing_samples;
  KernelData training = task == LayerTask::token_task ? token_task(5000 + seed_number, all)
                                                      : pathfinder(6000 + seed_number, all);
  const KernelData testing = split(training, training_samples);
  const Matrix<Rational> readout = pooled_readout(training.X[0].rows());
  return {kernel_instance(training, weights, readout, beta),
          kernel_instance(testing, weights, readout, beta)};
}

LayerRun run_layer(const LayerProblem& problem, AttentionKernel kernel, DescentOptions options) {
  options.mean_loss = true;
  FastKernel model(KernelInputs<double>(problem.training), kernel,
                   weights_as<double>(problem.training.weights));
  LayerRun run{gradient_descent(model, options), {}};
  if (problem.testing && !run.descent.diverged())
    run.test_accuracy =
        accuracy(FastKernel(KernelInputs<double>(*problem.testing), kernel, model.weights()),
                 *problem.testing);
  return run;
}

KernelInstance value_problem(std::uint64_t seed_number) {
  SplitMix64 stream(2000 + seed_number);
  KernelData data;
  for (int i = 0; i < 3; ++i) data.X.push_back(stream.normal_matrix(4, 12));
  const KernelWeights<double> weights = normal_weights(stream, {12, 8, 4, 2, 2});
  for (int i = 0; i < 3; ++i) data.Y.push_back(stream.normal_matrix(4, 2));
  return kernel_instance(data, weights, token_readout(4), inverse_root_beta(8));
}

KernelInstance query_problem(AttentionKernel kernel, std::size_t key_dim,
                             std::uint64_t seed_number) {
  SplitMix64 stream(3000 + seed_number);
  const double scale = 2 / std::sqrt(static_cast<double>(key_dim));
  const auto draw = [&](std::size_t cols, double sd) {
    const Matrix<double> first = stream.normal_matrix(5, cols, sd);
    return stacked(first, stream.normal_matrix(5, cols, sd));
  };
  const Matrix<double> keys = draw(key_dim, scale), values = draw(1, 1),
                       teacher = draw(key_dim, scale), start = draw(key_dim, scale);
  KernelData data;
  for (std::size_t i = 0; i < 2; ++i) {
    data.X.emplace_back(5, 10);
    for (std::size_t a = 0; a < 5; ++a) data.X[i](a, 5 * i + a) = 1;
    data.Y.emplace_back(5, 1);
  }
  Matrix<double> one(1, 1);
  one(0, 0) = 1;
  KernelInstance m =
      kernel_instance(data, {{teacher}, {keys}, {values}, {one}}, token_readout(5), {});
  m.kernel = kernel;
  const FastKernel taught(KernelInputs<double>(m), kernel, weights_as<double>(m.weights));
  for (std::size_t i = 0; i < 2; ++i)
    m.Y[i] = map(taught.outputs(i), [](double x) { return Rational(x); });
  m.weights.W_Q[0] = map(start, [](double x) { return Rational(x); });
  return m;
}

std::vector<double> residuals(const FastKernel& model, const KernelInputs<double>& inputs) {
  std::vector<double> all;
  for (std::size_t i = 0; i < model.samples(); ++i) {
    const Matrix<double> F = model.outputs(i);
    for (std::size_t k = 0; k < F.size(); ++k) all.push_back(F.data()[k] - inputs.Y[i].data()[k]);
  }
  return all;
}

}  // namespace heed::approx
