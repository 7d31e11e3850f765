// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "heed/attention/mha_inputs.hpp"
#include "heed/data/generate_query.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed::bench {

struct Shape {
  const char* name;
  std::size_t n, T, d, H;
  double flops() const {
    const double t = static_cast<double>(T), c = static_cast<double>(d);
    return static_cast<double>(n * H) * (8 * t * t * c + 4 * t * c * c);
  }
};

inline constexpr Shape shapes[] = {{"tiny", 32, 4, 4, 8},
                                   {"small", 64, 8, 8, 16},
                                   {"medium", 128, 32, 32, 16},
                                   {"large", 64, 128, 64, 32}};

/// Tokens of norm about 1, W of entries d^{-1/2}, U of entries (T d)^{-1/2}, labels at random:
/// the distribution that the peers draw from.
inline MhaInputs<double> random_inputs(const Shape& s) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto fill = [&](std::size_t rows, std::size_t cols, double sd) {
    Matrix<double> m(rows, cols);
    for (double& x : m.entries()) x = sd * normal(random);
    return m;
  };
  MhaInputs<double> in;
  const double d = static_cast<double>(s.d);
  for (std::size_t i = 0; i < s.n; ++i) {
    in.X.push_back(fill(s.T, s.d, 1 / std::sqrt(d)));
    in.y.push_back(random() % 2 == 0 ? 1 : -1);
    Matrix<double> differences(s.T * s.T, s.d);
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

/// Unit tokens and queries, the best token selected by y v^T x: the set-up of the published notebooks.
inline QueryInstance unit_instance(std::size_t n, std::size_t T, std::size_t d) {
  QuerySpec spec;
  spec.inputs = n;
  spec.tokens = T;
  spec.dim = d;
  return generate_query(spec);
}

inline MarginProblem unit_problem(std::size_t n, std::size_t T, std::size_t d) {
  return margin_problem(unit_instance(n, T, d));
}

/// Processor time of this thread.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Median over calls for `budget` seconds, at least one.
inline double median_seconds(double budget, const std::function<void()>& call) {
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

}  // namespace heed::bench
