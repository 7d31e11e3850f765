// SPDX-License-Identifier: Apache-2.0
// Processor time of loss + gradient and of a Hessian-vector product: PairwiseMha and MhaModel<double>.
//
//   bench_mha [SECONDS]     budget of each measurement, default 0.5; prints the median of the calls
//
// Rates count 8 T^2 d + 4 T d^2 flops per sample and head, whatever an implementation spends,
// and no exponentials. Products of MhaModel exclude the moments, computed once for every theta.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_enclosed.hpp"
#include "heed/attention/mha_fast.hpp"
#include "heed/attention/mha_pairwise.hpp"
#include "random_inputs.hpp"

using heed::bench::median_seconds;
using heed::bench::random_inputs;
using heed::bench::Shape;

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.5;
  if (argc > 2 || !(budget > 0)) {
    std::fprintf(stderr, "usage: bench_mha [SECONDS]\n");
    return 64;
  }
  {
    const Eigen::MatrixXd a = Eigen::MatrixXd::Random(512, 512), b = a.transpose();
    Eigen::MatrixXd c(512, 512);
    const double t = median_seconds(budget, [&] { c.noalias() = a * b; });
    std::printf("Eigen product of order 512: %.1f GF/s\n", 2e-9 * 512 * 512 * 512 / t);
  }
  std::printf("%-8s %-10s %22s %22s\n", "shape", "kernel", "loss + gradient", "Hessian-vector");
  for (const Shape& s : heed::bench::shapes) {
    const double flops = s.flops();
    const heed::MhaInputs<double> inputs = random_inputs(s);
    const auto row = [&](const std::string& kernel, double gradient, double product) {
      std::printf("%-8s %-10s %9.4f ms %6.2f GF/s %9.4f ms %6.2f GF/s\n", s.name, kernel.c_str(),
                  1e3 * gradient, 1e-9 * flops / gradient, 1e3 * product, 1e-9 * flops / product);
    };
    const auto measure = [&](auto& model, const std::string& name) {
      const std::vector<double> theta = model.initial_parameters();
      std::vector<double> v(theta.size());
      model.hessian_vector_product(theta, v);
      const double gradient = median_seconds(budget, [&] { model.evaluate(theta); });
      model.hessian_vector_product(theta, v);
      row(name, gradient, median_seconds(budget, [&] { model.hessian_vector_product(theta, v); }));
    };
    std::string last;
    for (const char* set : {"baseline", "avx2", "avx512"}) {
      heed::approx::FastMha model(inputs, set);
      if (model.instruction_set() != last) measure(model, last = model.instruction_set());
    }
    heed::EnclosedMha enclosed(inputs);
    const std::vector<double> theta = enclosed.initial_parameters();
    const double t = median_seconds(budget, [&] { enclosed.evaluate(theta); });
    double radius = 0, largest = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      radius = std::max(radius, enclosed.gradient_radius(k));
      largest = std::max(largest, std::fabs(enclosed.gradient()[k]));
    }
    std::printf("%-8s %-10s %9.4f ms %6.2f GF/s   radius %.1e of the largest entry\n", s.name,
                "enclosed", 1e3 * t, 1e-9 * flops / t, radius / largest);
    if (s.T > 32) continue;
    heed::approx::PairwiseMha pairwise(inputs);
    measure(pairwise, "pairwise");
    if (s.T > 8) continue;
    const heed::MhaModel<double> reference(inputs);
    reference.hessian_vector_product(theta);  // moments are computed on first use
    row("generic", median_seconds(budget, [&] { heed::MhaModel<double>(inputs).gradient(); }),
        median_seconds(budget, [&] { reference.hessian_vector_product(theta); }));
  }
}
