// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/block_saddle.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/numeric/random_input.hpp"

namespace heed::test {

/// Blocks and J as exact numbers, with the matrix written out entry by entry.
struct RationalSaddle {
  struct Block {
    Matrix<Rational> M, K;
  };
  std::vector<Block> blocks;
  Matrix<Rational> J;

  BlockSaddle balls() const {
    std::vector<SaddleBlock<Ball>> list;
    for (const Block& b : blocks) list.push_back({test::balls(b.M), test::balls(b.K)});
    return BlockSaddle(std::move(list), test::balls(J));
  }

  Matrix<Rational> dense() const {
    std::size_t size = 0;
    for (const Block& b : blocks) size += b.M.rows() + b.M.cols();
    Matrix<Rational> a(size, size);
    std::size_t at = 0;
    for (const Block& b : blocks) {
      const std::size_t u = b.M.rows(), w = b.M.cols();
      for (std::size_t k = 0; k < w; ++k) {
        for (std::size_t i = 0; i < u; ++i)
          a(at + i, at + u + k) = a(at + u + k, at + i) = b.M(i, k);
        for (std::size_t i = 0; i < w; ++i) a(at + u + i, at + u + k) = b.K(i, k);
      }
      at += u + w;
    }
    for (std::size_t r = 0; r < J.rows(); ++r)
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < size; ++k) a(i, k) += J(r, i) * J(r, k);
    return a;
  }
};

/// 1 to max_blocks blocks with u and w up to `max_side`; zero blocks, zero K and M of rank 1 occur.
inline RationalSaddle random_saddle(Random& random, long max_blocks, long max_side, long rank) {
  RationalSaddle a;
  std::size_t size = 0;
  const auto entry = [&] { return Rational(random.integer(-8, 8), random.integer(1, 5)); };
  for (long h = random.integer(1, max_blocks); h > 0; --h) {
    const auto u = static_cast<std::size_t>(random.integer(0, max_side));
    const auto w = static_cast<std::size_t>(random.integer(1, max_side));
    RationalSaddle::Block b{Matrix<Rational>(u, w), Matrix<Rational>(w, w)};
    const long kind = random.integer(0, 4);
    if (kind != 0 && kind != 1)
      for (Rational& x : b.M.entries()) x = kind == 2 ? Rational(1) : entry();
    if (kind != 0 && kind != 3)
      for (std::size_t i = 0; i < w; ++i)
        for (std::size_t j = 0; j <= i; ++j) b.K(i, j) = b.K(j, i) = entry();
    a.blocks.push_back(std::move(b));
    size += u + w;
  }
  a.J = Matrix<Rational>(static_cast<std::size_t>(rank), size);
  for (Rational& x : a.J.entries()) x = random.chance(20) ? Rational(0) : entry();
  return a;
}

}  // namespace heed::test
