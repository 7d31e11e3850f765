// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "heed/attention/detail/lanes.hpp"

namespace heed::lanes {
inline namespace HEED_ISA {

/// Registers hold `tile_rows` x `tile_cols` sums: enough of them to hide the latency of a fused
/// multiply-add, few enough that operands fit beside them.
inline constexpr int tile_rows = width == 8 ? 4 : 2, tile_cols = 4;

/// sums[r][s] = sum_k rows[r][k step_a] b[s row_b + k step_b].
template <int R, int C>
[[gnu::always_inline]] inline void tile(std::ptrdiff_t K, const Lanes* const* rows,
                                        std::ptrdiff_t step_a, const double* b,
                                        std::ptrdiff_t row_b, std::ptrdiff_t step_b,
                                        Lanes (&sums)[R][C]) {
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < C; ++s) sums[r][s] = Lanes{};
#ifndef __AVX2__
      // One step fills the 16 registers of SSE2; g++ would write out all of a short sum.
#pragma GCC unroll 1
#endif
  for (std::ptrdiff_t k = 0; k < K; ++k) {
    Lanes a[R];
    for (int r = 0; r < R; ++r) a[r] = rows[r][k * step_a];
    for (int s = 0; s < C; ++s) {
      const Lanes x = splat(b[s * row_b + k * step_b]);
      for (int r = 0; r < R; ++r) sums[r][s] = multiply_add(a[r], x, sums[r][s]);
    }
  }
}

/// Calls block.operator()<rows, cols>(r, s) for tiles of at most Rows x tile_cols that cover R x S.
template <int Rows, class Block>
[[gnu::always_inline]] inline void for_tiles(std::ptrdiff_t R, std::ptrdiff_t S,
                                             const Block& block) {
  const auto strip = [&]<int Count>(std::ptrdiff_t r) {
    std::ptrdiff_t s = 0;
    for (; s + tile_cols <= S; s += tile_cols) block.template operator()<Count, tile_cols>(r, s);
    static_assert(tile_cols == 4);
    if (S - s == 3) block.template operator()<Count, 3>(r, s);
    if (S - s == 2) block.template operator()<Count, 2>(r, s);
    if (S - s == 1) block.template operator()<Count, 1>(r, s);
  };
  std::ptrdiff_t r = 0;
  for (; r + Rows <= R; r += Rows) strip.template operator()<Rows>(r);
  if (R % Rows != 0)
    for (; r < R; ++r) strip.template operator()<1>(r);
}

/// put(r, s, sum_k a[r row_a + k step_a] b[s row_b + k step_b]) for r < R, s < S.
template <class Put>
[[gnu::always_inline]] inline void product(std::ptrdiff_t R, std::ptrdiff_t S, std::ptrdiff_t K,
                                           const Lanes* a, std::ptrdiff_t row_a,
                                           std::ptrdiff_t step_a, const double* b,
                                           std::ptrdiff_t row_b, std::ptrdiff_t step_b, Put put) {
  const auto block = [&]<int Rows, int Cols>(std::ptrdiff_t r, std::ptrdiff_t s) {
    const Lanes* rows[Rows];
    for (int j = 0; j < Rows; ++j) rows[j] = a + (r + j) * row_a;
    Lanes sums[Rows][Cols];
    tile<Rows, Cols>(K, rows, step_a, b + s * row_b, row_b, step_b, sums);
    for (int j = 0; j < Rows; ++j)
      for (int c = 0; c < Cols; ++c) put(r + j, s + c, sums[j][c]);
  };
  for_tiles<tile_rows>(R, S, block);
}

/// The same for two lane operands a and c of one layout at a time:
/// put(r, s, sum_k a[r, k] b[s, k], sum_k c[r, k] b[s, k]).
template <class Put>
[[gnu::always_inline]] inline void product_pair(std::ptrdiff_t R, std::ptrdiff_t S,
                                                std::ptrdiff_t K, const Lanes* a, const Lanes* c,
                                                std::ptrdiff_t row_a, std::ptrdiff_t step_a,
                                                const double* b, std::ptrdiff_t row_b,
                                                std::ptrdiff_t step_b, Put put) {
  constexpr int half = tile_rows / 2;
  const auto block = [&]<int Rows, int Cols>(std::ptrdiff_t r, std::ptrdiff_t s) {
    const Lanes* rows[2 * Rows];
    for (int j = 0; j < Rows; ++j) {
      rows[j] = a + (r + j) * row_a;
      rows[Rows + j] = c + (r + j) * row_a;
    }
    Lanes sums[2 * Rows][Cols];
    tile<2 * Rows, Cols>(K, rows, step_a, b + s * row_b, row_b, step_b, sums);
    for (int j = 0; j < Rows; ++j)
      for (int k = 0; k < Cols; ++k) put(r + j, s + k, sums[j][k], sums[Rows + j][k]);
  };
  for_tiles<half>(R, S, block);
}

}  // namespace HEED_ISA
}  // namespace heed::lanes
