// SPDX-License-Identifier: Apache-2.0
#include "heed/train/gradient_descent.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/data/kernel_named.hpp"
#include "heed/data/read.hpp"
#include "heed/train/reference_runs.hpp"

using namespace heed;
using namespace heed::approx;

namespace {

using nlohmann::json;

FastKernel model_of(const KernelInstance& m, AttentionKernel kernel,
                    KernelBlocks trained = KernelBlocks::all()) {
  return FastKernel(KernelInputs<double>(m), kernel, weights_as<double>(m.weights), trained);
}

double number(const json& j) { return std::stod(j.get<std::string>()); }

}  // namespace

TEST_CASE("the runs of seed 0 follow those of an independent program") {
  std::ifstream file(std::string(HEED_TEST_DATA) + "/train/kernel_seed0.json");
  const json reference = json::parse(file);
  for (const LayerTask task : {LayerTask::token_task, LayerTask::pathfinder}) {
    const LayerProblem problem = layer_problem(task, 0);
    for (const AttentionKernel kernel : attention_kernels) {
      const json& j = reference.at((task == LayerTask::token_task ? "token-task " : "pathfinder ") +
                                   std::string(kernel_word(kernel)));
      INFO(kernel_word(kernel));
      DescentOptions options;
      options.step = constant_step(0.03);
      options.record = {300, 0, 10, 30, 100};
      const LayerRun run = run_layer(problem, kernel, options);
      // The Gaussian kernel at its own scale starts beyond 2/L: rounding errors grow first.
      const bool wild = kernel == AttentionKernel::gaussian;
      REQUIRE(run.descent.marks.size() == 6);
      for (const auto& mark : run.descent.marks)
        CHECK(mark.loss == Approx(number(j.at("trajectory").at(std::to_string(mark.step))))
                               .epsilon(!wild              ? 1e-9
                                        : mark.step <= 100 ? 1e-6
                                        : mark.step == 300 ? 1e-3
                                                           : 0.1));
      CHECK(run.descent.gradient_lipschitz ==
            Approx(number(j.at("lipschitz"))).epsilon(wild ? 0.05 : 1e-9));
      CHECK(run.descent.loss == run.descent.marks.back().loss);
      CHECK(run.descent.steps == 1000);
      CHECK(!run.descent.diverged());
      CHECK(run.test_accuracy.value() > 0.4);
      CHECK(run.test_accuracy.value() < 0.65);
    }
  }
}

TEST_CASE("W_V alone: the steps are those of the formula") {
  for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const KernelInstance m = value_problem(seed);
      const ValueDescent formula(kernel_model<double>(m, kernel));
      FastKernel model = model_of(m, kernel, KernelBlock::value);
      CHECK(formula.loss(0) == Approx(model.loss()).epsilon(1e-13));
      DescentOptions options;
      options.step = constant_step(1 / formula.largest());
      options.steps = 200;
      options.record = {1, 7, 50};
      const DescentRun run = gradient_descent(model, options);
      for (const auto& mark : run.marks)
        CHECK(mark.loss == Approx(formula.loss(static_cast<double>(mark.step))).epsilon(1e-11));
      // The gradient is linear, with Lipschitz constant L.
      CHECK(run.gradient_lipschitz <= formula.largest() * (1 + 1e-9));
      CHECK(run.gradient_lipschitz > 0.3 * formula.largest());
      const double steps = formula.steps_to(0.1);
      CHECK(formula.loss(steps) <= 0.1 * formula.loss(0));
      CHECK(formula.loss(steps - 1) > 0.1 * formula.loss(0));
    }
}

TEST_CASE("one step by hand, for f and for f/N, with a rule for the steps") {
  const KernelInstance m = layer_problem(LayerTask::regression, 1).training;
  for (const bool mean : {false, true}) {
    FastKernel model = model_of(m, AttentionKernel::softmax);
    const std::vector<double> start(model.parameter_values().begin(),
                                    model.parameter_values().end());
    const std::vector<double> g(model.gradient().begin(), model.gradient().end());
    DescentOptions options;
    options.step = [](std::size_t t) { return t == 0 ? 0.25 : 0; };
    options.steps = 2;
    options.mean_loss = mean;
    const DescentRun run = gradient_descent(model, options);
    double norm = 0;
    for (std::size_t k = 0; k < g.size(); ++k)
      CHECK(model.parameter_values()[k] ==
            Approx(start[k] - 0.25 * g[k] / (mean ? 4 : 1)).margin(1e-15));
    for (const double x : model.gradient()) norm += x * x;
    CHECK(run.gradient_norm == Approx(std::sqrt(norm) / (mean ? 4 : 1)));
    CHECK(run.loss == Approx(model.loss() / (mean ? 4 : 1)));
    CHECK(run.marks == std::vector<DescentRun::Mark>{{2, run.loss}});
  }
}

TEST_CASE("blocks that are not trained stay as they were; runs repeat exactly") {
  const KernelInstance m = layer_problem(LayerTask::pathfinder, 2).training;
  const KernelBlocks blocks = KernelBlocks(KernelBlock::query) | KernelBlock::output;
  const auto run = [&] {
    FastKernel model = model_of(m, AttentionKernel::gaussian_over_n, blocks);
    DescentOptions options;
    options.steps = 30;
    gradient_descent(model, options);
    return model.weights();
  };
  const KernelWeights<double> end = run(), start = weights_as<double>(m.weights);
  CHECK(end.W_K == start.W_K);
  CHECK(end.W_V == start.W_V);
  CHECK(!(end.W_Q == start.W_Q));
  CHECK(!(end.W_O == start.W_O));
  CHECK(end == run());
}

TEST_CASE("a run that diverges says when, and keeps what it recorded") {
  FastKernel model =
      model_of(layer_problem(LayerTask::regression, 0).training, AttentionKernel::softmax);
  DescentOptions options;
  options.step = constant_step(1);
  options.mean_loss = true;
  options.record = {0, 999};
  const DescentRun run = gradient_descent(model, options);
  REQUIRE(run.diverged());
  CHECK(*run.diverged_at < 100);
  CHECK(run.steps == *run.diverged_at);
  CHECK(run.marks.size() == 1);
  CHECK(std::isinf(run.loss));
}

TEST_CASE("a run that meets NaN has diverged") {
  FastKernel model =
      model_of(layer_problem(LayerTask::regression, 0).training, AttentionKernel::softmax);
  DescentOptions options;
  options.step = constant_step(std::nan(""));
  options.diverged_above = INFINITY;
  CHECK(gradient_descent(model, options).diverged_at == std::size_t{1});
}

TEST_CASE("an underflow is reported: the false stationary point of the reference file") {
  const auto m = std::get<KernelInstance>(
      read_instance(std::string(HEED_TEST_DATA) + "/fixtures/kernel_05_underflow.json"));
  FastKernel model = model_of(m, AttentionKernel::gaussian, KernelBlock::query);
  DescentOptions options;
  options.steps = 3;
  const DescentRun run = gradient_descent(model, options);
  CHECK(run.gradient_norm == 0);
  CHECK(run.underflow_at == std::size_t{0});
}

TEST_CASE("descent from the bad minimum of SM1 stays there, and leaves the saddle of J1") {
  FastKernel trapped =
      model_of(kernel_instance_named("SM1"), AttentionKernel::softmax, KernelBlock::query);
  std::vector<double> theta(5, 1.0 / 16);
  trapped.evaluate(theta);
  DescentOptions options;
  options.step = constant_step(3);
  options.steps = 400;
  CHECK(gradient_descent(trapped, options).loss == Approx(0.1).epsilon(1e-12));
  KernelInstance saddle = kernel_instance_named("J1");
  saddle.weights.W_Q[0](0, 0) = Rational(1, 100);
  saddle.weights.W_K[0](1, 0) = Rational(1, 100);
  FastKernel leaving = model_of(saddle, AttentionKernel::softmax);
  options.step = constant_step(0.2);
  options.steps = 2000;
  CHECK(gradient_descent(leaving, options).loss < 1e-10);
}
