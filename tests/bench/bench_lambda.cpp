// SPDX-License-Identifier: Apache-2.0
// Time and relative width of the least and largest Hessian eigenvalue enclosed in double.
//
//   bench_lambda [SHAPE...]     small, ocr, medium; default small and ocr (medium needs 2 GB)
//
// Random tokens, weights and labels. The Hessian blocks are built here from the formulas of
// proofs-notes/hessian_structure.md in plain double; they are data for the timing, nothing more.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/fast_inertia.hpp"
#include "heed/linalg/lanczos.hpp"

namespace {

using heed::Matrix;
using heed::SaddleBlock;

struct Shape {
  const char* name;
  std::size_t n, T, d, H;
  int repetitions;
};

struct Saddle {
  std::vector<SaddleBlock<double>> blocks;
  Matrix<double> J;
};

std::vector<double> normal(std::mt19937_64& random, std::size_t count, double sd) {
  std::normal_distribution<double> distribution(0, sd);
  std::vector<double> x(count);
  for (double& v : x) v = distribution(random);
  return x;
}

// One head of all samples: fills its block of M and K with coefficient `slope` a sample, and the
// gradients of Phi (columns from `at` of J, multiplied by `weight`).
void add_head(const Shape& s, const std::vector<double>& X, const std::vector<double>& U,
              const std::vector<double>& W, const std::vector<double>& slope, double weight,
              SaddleBlock<double>& block, Matrix<double>& J, std::size_t at) {
  const std::size_t T = s.T, d = s.d, pairs = d * (d + 1) / 2;
  std::vector<double> outer(pairs * s.n * T), third(pairs * s.n * T), folded(pairs * pairs);
  for (std::size_t i = 0; i < s.n; ++i)
    for (std::size_t t = 0; t < T; ++t) {
      const double *x = X.data() + i * T * d, *xt = x + t * d, *u = U.data() + t * d;
      std::vector<double> q(d), a(T), g(T), o(d);
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t c = 0; c < d; ++c) q[c] += xt[b] * W[b * d + c];
      double largest = -1e300, sum = 0, mean = 0;
      for (std::size_t r = 0; r < T; ++r) {
        for (std::size_t c = 0; c < d; ++c) {
          a[r] += q[c] * x[r * d + c];
          g[r] += u[c] * x[r * d + c];
        }
        largest = std::max(largest, a[r]);
      }
      for (double& p : a) sum += p = std::exp(p - largest);
      for (double& p : a) p /= sum;
      for (std::size_t r = 0; r < T; ++r) mean += a[r] * g[r];
      for (std::size_t r = 0; r < T; ++r)
        for (std::size_t c = 0; c < d; ++c) o[c] += a[r] * x[r * d + c];
      std::vector<double> C(d * d), K(d * d), y(d);
      for (std::size_t r = 0; r < T; ++r) {
        for (std::size_t c = 0; c < d; ++c) y[c] = x[r * d + c] - o[c];
        for (std::size_t b = 0; b < d; ++b)
          for (std::size_t c = 0; c < d; ++c) {
            C[b * d + c] += a[r] * y[b] * y[c];
            K[b * d + c] += a[r] * (g[r] - mean) * y[b] * y[c];
          }
      }
      double* row = J.row(i) + at;
      for (std::size_t c = 0; c < d; ++c) row[t * d + c] = weight * o[c];
      for (std::size_t c = 0; c < d; ++c) {
        double cu = 0;
        for (std::size_t b = 0; b < d; ++b) cu += C[c * d + b] * u[b];
        for (std::size_t b = 0; b < d; ++b) row[T * d + b * d + c] += weight * xt[b] * cu;
      }
      for (std::size_t c = 0; c < d; ++c)
        for (std::size_t b = 0; b < d; ++b)
          for (std::size_t e = 0; e < d; ++e)
            block.M(t * d + c, b * d + e) += slope[i] * xt[b] * C[c * d + e];
      std::size_t k = (i * T + t) * pairs;
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t c = 0; c <= b; ++c, ++k) {
          outer[k] = slope[i] * xt[b] * xt[c];
          third[k] = K[b * d + c];
        }
    }
  heed::detail::dense_kernels().add_product_nt({folded.data(), pairs, pairs, pairs}, 1,
                                               {outer.data(), pairs, s.n * T, pairs},
                                               {third.data(), pairs, s.n * T, pairs});
  const auto pair = [](std::size_t b, std::size_t c) {
    return std::max(b, c) * (std::max(b, c) + 1) / 2 + std::min(b, c);
  };
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t c = 0; c < d; ++c)
        for (std::size_t e = 0; e < d; ++e)
          block.K(a * d + b, c * d + e) = folded[pair(a, c) + pair(b, e) * pairs];
}

Saddle random_hessian(const Shape& s) {
  std::mt19937_64 random(1);
  const double d = static_cast<double>(s.d), T = static_cast<double>(s.T);
  const double samples = static_cast<double>(s.n), heads = static_cast<double>(s.H);
  const std::vector<double> X = normal(random, s.n * s.T * s.d, 1);
  // Margins near 0: l' = -1/2, l'' = 1/4.
  std::vector<double> slope(s.n);
  for (std::size_t i = 0; i < s.n; ++i)
    slope[i] = (i % 2 == 0 ? -0.5 : 0.5) / (samples * std::sqrt(heads));
  const std::size_t width = s.T * s.d + s.d * s.d;
  Saddle a{{}, Matrix<double>(s.n, s.H * width)};
  for (std::size_t h = 0; h < s.H; ++h) {
    a.blocks.push_back(
        {Matrix<double>(s.T * s.d, s.d * s.d), Matrix<double>(s.d * s.d, s.d * s.d)});
    add_head(s, X, normal(random, s.T * s.d, 1 / std::sqrt(d * T)),
             normal(random, s.d * s.d, 1 / d), slope, std::sqrt(0.25 / samples / heads),
             a.blocks.back(), a.J, h * width);
  }
  return a;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void run(const Shape& s) {
  double start = seconds();
  Saddle data = random_hessian(s);
  std::printf("%s: n %zu, T %zu, d %zu, H %zu, P %zu; blocks built in %.2f s; kernels %s\n", s.name,
              s.n, s.T, s.d, s.H, data.J.cols(), seconds() - start,
              heed::detail::dense_kernels().name);
  start = seconds();
  const heed::PointSaddle a(std::move(data.blocks), std::move(data.J));
  std::printf("  copy and norms              %9.4f s\n", seconds() - start);
  std::vector<double> x(a.size(), 1), y(a.size());
  start = seconds();
  for (int k = 0; k < 10; ++k) a.approx_apply(x.data(), y.data());
  std::printf("  product                     %9.6f s\n", (seconds() - start) / 10);
  start = seconds();
  const auto lanczos = heed::approx::thick_restart_lanczos(
      {a.size(), [&](const double* p, double* q) { a.approx_apply(p, q); }},
      heed::Extreme::smallest);
  std::printf("  Lanczos                     %9.4f s, residual %.1e of the norm\n",
              seconds() - start, lanczos.residual / a.norm_bound());
  start = seconds();
  const heed::FastInertia inertia(a);
  std::printf("  preparation of the counts   %9.4f s\n", seconds() - start);
  for (const double factor : {1.001, 0.999}) {
    start = seconds();
    const heed::InertiaCount c = inertia.count(factor * lanczos.value);
    std::printf("  count at %5.3f lambda_min    %9.4f s: %zu below, error %.1e of lambda_min\n",
                factor, seconds() - start, c.below, c.error / std::fabs(lanczos.value));
  }
  for (const bool least : {true, false}) {
    double best = 1e300;
    heed::FastEigenvalue r;
    for (int k = 0; k < s.repetitions; ++k) {
      start = seconds();
      r = least ? fast_lambda_min(a) : fast_lambda_max(a);
      best = std::min(best, seconds() - start);
    }
    std::printf(
        "  lambda_%s                  %9.4f s: [%.15g, %.15g], width %.1e, %d products, "
        "%d factorisations\n",
        least ? "min" : "max", best, r.lower, r.upper, (r.upper - r.lower) / std::fabs(r.upper),
        r.products, r.factorizations);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Shape shapes[] = {
      {"small", 64, 8, 8, 16, 5}, {"ocr", 1, 24, 24, 8, 1}, {"medium", 128, 32, 32, 16, 1}};
  for (int k = 1; k < argc; ++k)
    if (std::none_of(std::begin(shapes), std::end(shapes),
                     [&](const Shape& s) { return std::strcmp(s.name, argv[k]) == 0; })) {
      std::fprintf(stderr, "usage: bench_lambda [small] [ocr] [medium]\n");
      return 64;
    }
  for (const Shape& s : shapes) {
    bool wanted = argc == 1 && std::strcmp(s.name, "medium") != 0;
    for (int k = 1; k < argc; ++k) wanted = wanted || std::strcmp(s.name, argv[k]) == 0;
    if (wanted) run(s);
  }
}
