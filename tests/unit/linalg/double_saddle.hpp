// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "heed/linalg/point_saddle.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/numeric/random_input.hpp"

namespace heed::test {

/// A saddle-shaped matrix of doubles in the forms that the tests compare.
struct DoubleSaddle {
  std::vector<SaddleBlock<double>> blocks;
  Matrix<double> J;

  template <class S, class F>
  std::pair<std::vector<SaddleBlock<S>>, Matrix<S>> converted(F&& f) const {
    std::vector<SaddleBlock<S>> list;
    for (const SaddleBlock<double>& b : blocks) list.push_back({map(b.M, f), map(b.K, f)});
    return {std::move(list), map(J, f)};
  }
  /// P x P, exactly.
  Matrix<Rational> exact() const {
    const auto [b, j] = converted<Rational>([](double x) { return Rational(x); });
    return saddle_matrix(b, j);
  }
  BlockSaddle balls() const {
    auto [b, j] = converted<Ball>([](double x) { return Ball(x); });
    return BlockSaddle(std::move(b), std::move(j));
  }
  PointSaddle point(double perturbation = 0) const { return {blocks, J, perturbation}; }
  std::size_t zero_block_size() const {
    std::size_t u = 0;
    for (const SaddleBlock<double>& b : blocks) u += b.M.rows();
    return u;
  }
};

inline void fill_symmetric(Matrix<double>& a, const std::function<double()>& entry) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) a(i, j) = a(j, i) = entry();
}

/// 1 to max_blocks blocks with u and w up to max_side; zero blocks, zero K, M of rank 1 and small
/// integers occur. All entries times `unit`, those of J times `unit_j`.
inline DoubleSaddle random_double_saddle(Random& random, long max_blocks, long max_side, long rank,
                                         double unit = 1, double unit_j = 1) {
  DoubleSaddle a;
  std::size_t size = 0;
  const bool integers = random.chance(30);
  const auto entry = [&] {
    return integers ? static_cast<double>(random.integer(-2, 2)) : random.uniform();
  };
  for (long h = random.integer(1, max_blocks); h > 0; --h) {
    const auto u = static_cast<std::size_t>(random.integer(0, max_side));
    const auto w = static_cast<std::size_t>(random.integer(1, max_side));
    SaddleBlock<double> b{Matrix<double>(u, w), Matrix<double>(w, w)};
    const long kind = random.integer(0, 5);
    if (kind > 1)
      for (double& x : b.M.entries()) x = unit * (kind == 2 ? 1 : entry());
    if (kind != 0 && kind != 3) fill_symmetric(b.K, [&] { return unit * entry(); });
    a.blocks.push_back(std::move(b));
    size += u + w;
  }
  a.J = Matrix<double>(static_cast<std::size_t>(rank), size);
  for (double& x : a.J.entries()) x = random.chance(20) ? 0 : unit_j * entry();
  return a;
}

}  // namespace heed::test
