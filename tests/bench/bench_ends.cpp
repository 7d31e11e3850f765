// SPDX-License-Identifier: Apache-2.0
// Time and relative width of both ends of the Hessian of a layer of kernel attention.
//
//   bench_ends [LARGEST_P]     default 4000
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "heed/attention/layer_hessian.hpp"
#include "heed/data/generate_kernel.hpp"
#include "heed/numeric/precision.hpp"
#include "heed/theory/kernel_ends.hpp"

namespace {

using namespace heed;

struct Shape {
  std::size_t N, n, D, d, v, p, H;
  bool pooled;
};

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double relative(const Ball& x) {
  return approx::to_double(x.radius()) * 2 / std::fabs(approx::to_double(x));
}

void run(const Shape& s, AttentionKernel kernel) {
  SplitMix64 stream(3);
  const KernelData data = normal_data(stream, s.N, s.n, s.D, s.pooled ? 1 : s.n, s.p);
  const KernelInstance k =
      kernel_instance(data, normal_weights(stream, {s.D, s.d, s.v, s.p, s.H}),
                      s.pooled ? pooled_readout(s.n) : token_readout(s.n), inverse_root_beta(s.d));
  const auto all = KernelBlocks::all();
  double start = seconds();
  layer_hessian(kernel_model<DoubleBall>(k, kernel), all);
  const double blocks = seconds() - start;
  start = seconds();
  const HessianEnds ends = hessian_ends(k, kernel, all);
  const double doubles = seconds() - start;
  const PrecisionScope scope(128);
  start = seconds();
  const Extremes<Ball> sharp = sharpened_ends(ends, k, kernel_model<Ball>(k, kernel), all);
  std::printf(
      "P %5zu  M_r %4zu  %-19s  blocks %6.2f s  ends in double %6.2f s (%.0e, %.0e)  "
      "sharpened %5.2f s (%.0e, %.0e)\n",
      parameter_count(k.weights, all), k.residuals(), std::string(kernel_word(kernel)).c_str(),
      blocks, doubles, relative(to_ball(ends.least.value)), relative(to_ball(ends.largest.value)),
      seconds() - start, relative(sharp.least), relative(sharp.largest));
}

}  // namespace

int main(int argc, char** argv) {
  const auto most = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 4000);
  const Shape shapes[] = {{32, 9, 13, 8, 8, 1, 2, true},    {32, 12, 16, 8, 8, 1, 2, true},
                          {32, 12, 16, 8, 8, 2, 2, false},  {8, 8, 24, 12, 12, 2, 2, false},
                          {8, 8, 32, 16, 16, 2, 2, false},  {16, 16, 48, 16, 16, 2, 2, false},
                          {16, 8, 64, 32, 32, 2, 1, false}, {4, 8, 40, 16, 16, 2, 4, false}};
  for (const Shape& s : shapes)
    if (s.H * (s.D * (2 * s.d + s.v) + s.v * s.p) <= most)
      for (const AttentionKernel kernel :
           {AttentionKernel::softmax, AttentionKernel::gaussian_normalised})
        run(s, kernel);
}
