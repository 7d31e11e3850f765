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
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_enclosed.hpp"
#include "heed/attention/mha_fast.hpp"
#include "heed/attention/mha_pairwise.hpp"

namespace {

struct Shape {
  const char* name;
  std::size_t n, T, d, H;
};

heed::MhaInputs<double> random_inputs(const Shape& s) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto fill = [&](std::size_t rows, std::size_t cols, double sd) {
    heed::Matrix<double> m(rows, cols);
    for (double& x : m.entries()) x = sd * normal(random);
    return m;
  };
  heed::MhaInputs<double> in;
  const double d = static_cast<double>(s.d);
  for (std::size_t i = 0; i < s.n; ++i) {
    in.X.push_back(fill(s.T, s.d, 1 / std::sqrt(d)));
    in.y.push_back(i % 2 == 0 ? 1 : -1);
    heed::Matrix<double> differences(s.T * s.T, s.d);
    for (std::size_t a = 0; a < s.T; ++a)
      for (std::size_t b = 0; b < s.T; ++b)
        for (std::size_t c = 0; c < s.d; ++c)
          differences(a * s.T + b, c) = in.X[i](a, c) - in.X[i](b, c);
    in.dX.push_back(std::move(differences));
  }
  for (std::size_t h = 0; h < s.H; ++h) {
    in.U.push_back(fill(s.T, s.d, 1 / std::sqrt(d * static_cast<double>(s.T))));
    in.W.push_back(fill(s.d, s.d, 1 / std::sqrt(d)));
  }
  return in;
}

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median_seconds(double budget, const std::function<void()>& call) {
  std::vector<double> times;
  const double begin = thread_seconds();
  do {
    const double start = thread_seconds();
    call();
    times.push_back(thread_seconds() - start);
  } while (thread_seconds() - begin < budget);
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

}  // namespace

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
  for (const Shape& s : {Shape{"tiny", 32, 4, 4, 8}, Shape{"small", 64, 8, 8, 16},
                         Shape{"medium", 128, 32, 32, 16}, Shape{"large", 64, 128, 64, 32}}) {
    const double T = static_cast<double>(s.T), d = static_cast<double>(s.d);
    const double flops = static_cast<double>(s.n * s.H) * (8 * T * T * d + 4 * T * d * d);
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
