// SPDX-License-Identifier: Apache-2.0
// Kernel attention with square loss and pooled read-out, one JSON line a measurement:
//   {"name", "shape", "seconds", "error"}   processor time of one call, median; error: largest radius
//                                           over the largest entry, where one is proved
//
//   bench_kernel SHAPE [KERNEL [SECONDS]]   shapes e6, large; softmax or gaussian; budget of each
//                                           measurement, default 0.5
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "heed/attention/kernel_fast.hpp"
#include "heed/data/generate_kernel.hpp"
#include "random_inputs.hpp"

namespace {

using heed::AttentionKernel;
using heed::KernelBlocks;
using heed::bench::median_seconds;

struct Size {
  const char* name;
  std::size_t N, n;
  heed::KernelShape weights;
};
constexpr Size sizes[] = {{"e6", 32, 12, {16, 8, 8, 1, 2}}, {"large", 32, 32, {64, 32, 32, 1, 8}}};

heed::KernelInstance instance_of(const Size& s) {
  heed::SplitMix64 stream(1);
  const heed::KernelData data = normal_data(stream, s.N, s.n, s.weights.dim, 1, s.weights.outputs);
  return kernel_instance(data, normal_weights(stream, s.weights), heed::pooled_readout(s.n),
                         heed::inverse_root_beta(s.weights.key_dim));
}

void row(const std::string& name, const std::string& shape, double seconds,
         std::optional<double> error = {}) {
  std::printf("{\"name\": \"%s\", \"shape\": \"%s\", \"seconds\": %.6e, \"error\": ", name.c_str(),
              shape.c_str(), seconds);
  if (error) {
    std::printf("%.2e}\n", *error);
  } else {
    std::printf("null}\n");
  }
}

template <class S>
void measure_model(const std::string& prefix, const std::string& shape,
                   const heed::KernelInstance& m, AttentionKernel kernel, double budget) {
  const auto inputs = std::make_shared<const heed::KernelInputs<S>>(m);
  const auto weights = heed::weights_as<S>(m.weights);
  std::vector<S> gradient;
  const double seconds = median_seconds(budget, [&] {
    gradient =
        flatten(heed::KernelModel<S>(inputs, kernel, weights).gradient(), KernelBlocks::all());
  });
  std::optional<double> error;
  if constexpr (heed::Scalar<S>::rigorous) {
    double radius = 0, largest = 0;
    for (const S& x : gradient) {
      radius = std::max(radius, heed::approx::to_double(to_ball(x).radius()));
      largest = std::max(largest, std::fabs(heed::approx::to_double(x)));
    }
    error = radius / largest;
  }
  row(prefix + "gradient", shape, seconds, error);
  const heed::KernelModel<S> model(inputs, kernel, weights);
  row(prefix + "hvp", shape,
      median_seconds(budget, [&] { model.hessian_vector_product(weights); }));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "", word = argc > 2 ? argv[2] : "softmax";
  const double budget = argc > 3 ? std::atof(argv[3]) : 0.5;
  const auto* size = std::find_if(std::begin(sizes), std::end(sizes),
                                  [&](const Size& s) { return s.name == name; });
  const auto kernel = heed::parse_kernel(word);
  if (size == std::end(sizes) || !kernel || argc > 4 || !(budget > 0)) {
    std::fprintf(stderr, "usage: bench_kernel e6|large [KERNEL [SECONDS]]\n");
    return 64;
  }
  const std::string shape = name + " " + word;
  const heed::KernelInstance m = instance_of(*size);
  const heed::KernelInputs<double> inputs(m);
  const auto weights = heed::weights_as<double>(m.weights);
  const std::vector<double> theta = flatten(weights, KernelBlocks::all());
  std::vector<double> product(theta.size());
  std::string last;
  for (const char* set : {"", "avx2", "baseline"}) {
    heed::approx::FastKernel fast(inputs, *kernel, weights, KernelBlocks::all(), set);
    if (fast.instruction_set() == last) continue;
    last = fast.instruction_set();
    const std::string suffix = *set == '\0' ? "" : "_" + last;
    row("gradient" + suffix, shape, median_seconds(budget, [&] { fast.evaluate(theta); }));
    row("hvp" + suffix, shape,
        median_seconds(budget, [&] { fast.hessian_vector_product(theta, product); }));
  }
  measure_model<double>("generic_", shape, m, *kernel, budget);
  measure_model<heed::DoubleBall>("enclosed_", shape, m, *kernel, budget);
}
