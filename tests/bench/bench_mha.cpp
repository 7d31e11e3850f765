// SPDX-License-Identifier: Apache-2.0
// Processor time of loss + gradient and of a Hessian-vector product: FastMha and MhaModel<double>.
//
//   bench_mha [SECONDS]     budget of each measurement, default 0.5; prints the median of the calls
//
// Rates count 8 T^2 d + 4 T d^2 flops per sample and head, whatever an implementation spends,
// and no exponentials. Products of MhaModel exclude the moments, computed once for every theta.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_fast.hpp"

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
    in.X.push_back(fill(s.T, s.d, 1));
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
    in.W.push_back(fill(s.d, s.d, 1 / d));
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
  std::printf("%-8s %16s  %12s %8s  %12s  %6s\n", "shape", "what", "FastMha", "GFLOP/s", "MhaModel",
              "ratio");
  for (const Shape& s : {Shape{"tiny", 32, 4, 4, 8}, Shape{"small", 64, 8, 8, 16},
                         Shape{"medium", 128, 32, 32, 16}}) {
    const double T = static_cast<double>(s.T), d = static_cast<double>(s.d);
    const double flops = static_cast<double>(s.n * s.H) * (8 * T * T * d + 4 * T * d * d);
    const heed::MhaInputs<double> inputs = random_inputs(s);
    heed::approx::FastMha fast(inputs);
    const std::vector<double> theta = fast.initial_parameters();
    std::vector<double> v(theta.size());
    const auto row = [&](const char* what, double quick, double slow) {
      std::printf("%-8s %16s  %9.4f ms %8.2f  %9.2f ms  %6.1f\n", s.name, what, 1e3 * quick,
                  1e-9 * flops / quick, 1e3 * slow, slow / quick);
    };
    row("loss + gradient", median_seconds(budget, [&] { fast.evaluate(theta); }),
        median_seconds(budget, [&] { heed::MhaModel<double>(inputs).gradient(); }));
    const heed::MhaModel<double> reference(inputs);
    reference.hessian_vector_product(theta);  // moments are computed on first use
    row("Hessian-vector", median_seconds(budget, [&] { fast.hessian_vector_product(theta, v); }),
        median_seconds(budget, [&] { reference.hessian_vector_product(theta); }));
  }
}
