// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops of layer_kernels.hpp for the instruction set that the including source is compiled for.

#include "heed/attention/detail/lanes_exp.hpp"
#include "heed/attention/detail/layer_kernels.hpp"

namespace heed::approx::detail {
inline namespace HEED_ISA {

using heed::lanes::Lanes;
using heed::lanes::multiply_add;
using heed::lanes::splat;
using Size = std::ptrdiff_t;

inline constexpr Size width = lanes::width;
/// Sums in registers: rows x vectors, enough to hide the latency of a fused multiply-add.
inline constexpr int tile_rows = width == 8 ? 8 : width == 4 ? 4 : 2;
inline constexpr int narrow = static_cast<int>(lane_pad / width), wide = width == 8 ? 2 : narrow;

inline Lanes load(const double* p) {
  Lanes x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
inline void store(double* p, Lanes x) { __builtin_memcpy(p, &x, sizeof x); }

/// Calls block.operator()<rows, vectors>(r, s) for tiles that cover R x S.
template <int MaxRows, class Block>
[[gnu::always_inline]] inline void for_layer_tiles(Size R, Size S, const Block& block) {
  const auto across = [&]<int Count>(Size r) {
    Size s = 0;
    for (; s + wide * width <= S; s += wide * width) block.template operator()<Count, wide>(r, s);
    if (wide != narrow && s < S) block.template operator()<Count, narrow>(r, s);
  };
  Size r = 0;
  for (; r + MaxRows <= R; r += MaxRows) across.template operator()<MaxRows>(r);
  if constexpr (MaxRows > 4)
    for (; r + 4 <= R; r += 4) across.template operator()<4>(r);
  if constexpr (MaxRows > 2)
    for (; r + 2 <= R; r += 2) across.template operator()<2>(r);
  for (; r < R; ++r) across.template operator()<1>(r);
}

inline void layer_product(const ProductShape& shape, const Strided& A, ConstRows B, Rows C,
                          bool add) {
  const auto block = [&]<int R, int V>(Size r, Size s) {
    Lanes sums[R][V];
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < V; ++j)
        sums[i][j] = add ? load(C.data + (r + i) * C.step + s + j * width) : Lanes{};
    const double* a = A.data + r * A.row;
    const double* b = B.data + s;
    for (Size k = 0; k < shape.K; ++k, a += A.step, b += B.step) {
      Lanes x[V];
      for (int j = 0; j < V; ++j) x[j] = load(b + j * width);
      for (int i = 0; i < R; ++i) {
        const Lanes y = splat(a[i * A.row]);
        for (int j = 0; j < V; ++j) sums[i][j] = multiply_add(y, x[j], sums[i][j]);
      }
    }
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < V; ++j) store(C.data + (r + i) * C.step + s + j * width, sums[i][j]);
  };
  for_layer_tiles<tile_rows>(shape.R, shape.S, block);
}

inline void layer_product_of_differences(const ProductShape& shape, const Strided& A, ConstRows B,
                                         ConstRows V, Rows C) {
  const auto block = [&]<int R, int N>(Size r, Size s) {
    Lanes sums[R][N], origin[R][N];
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < N; ++j) {
        sums[i][j] = load(C.data + (r + i) * C.step + s + j * width);
        origin[i][j] = load(V.data + (r + i) * V.step + s + j * width);
      }
    const double* a = A.data + r * A.row;
    const double* b = B.data + s;
    for (Size k = 0; k < shape.K; ++k, a += A.step, b += B.step) {
      Lanes x[N];
      for (int j = 0; j < N; ++j) x[j] = load(b + j * width);
      for (int i = 0; i < R; ++i) {
        const Lanes y = splat(a[i * A.row]);
        for (int j = 0; j < N; ++j) sums[i][j] = multiply_add(y, x[j] - origin[i][j], sums[i][j]);
      }
    }
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < N; ++j) store(C.data + (r + i) * C.step + s + j * width, sums[i][j]);
  };
  for_layer_tiles<tile_rows / 2>(shape.R, shape.S, block);
}

inline void layer_paired_differences(const ProductShape& shape, double factor, ConstRows Q,
                                     ConstRows K, ConstRows dQ, ConstRows dK, Rows E) {
  const auto block = [&]<int R, int N>(Size r, Size s) {
    Lanes sums[R][N] = {};
    for (Size c = 0; c < shape.K; ++c) {
      Lanes k[N], dk[N];
      for (int j = 0; j < N; ++j) {
        k[j] = load(K.data + c * K.step + s + j * width);
        dk[j] = load(dK.data + c * dK.step + s + j * width);
      }
      for (int i = 0; i < R; ++i) {
        const Lanes q = splat(Q.data[(r + i) * Q.step + c]),
                    dq = splat(dQ.data[(r + i) * dQ.step + c]);
        for (int j = 0; j < N; ++j) sums[i][j] = multiply_add(q - k[j], dq - dk[j], sums[i][j]);
      }
    }
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < N; ++j)
        store(E.data + (r + i) * E.step + s + j * width, factor * sums[i][j]);
  };
  for_layer_tiles<tile_rows / 2>(shape.R, shape.S, block);
}

/// Of the first n entries the largest; some index where there is a NaN.
inline Size largest_of(Size n, const double* row) {
  Size best = 0;
  for (Size b = 1; b < n; ++b)
    if (row[b] > row[best]) best = b;
  return best;
}

inline bool layer_attend(const AttentionRows& rows, double factor, double scale, double* A) {
  bool zeros = false;
  for (Size a = 0; a < rows.count; ++a, A += rows.width) {
    double top = 0;
    if (rows.normalised) {
      rows.reference[a] = largest_of(rows.n, A);
      top = A[rows.reference[a]];
    }
    Lanes sum = {};
    for (Size b = 0; b < rows.width; b += width) {
      const Lanes e = lanes::select(load(rows.mask + b) > 0,
                                    lanes::exp_nonpositive(factor * (load(A + b) - top)), Lanes{});
      sum += e;
      store(A + b, e);
    }
    const double by = rows.normalised ? 1 / lanes::sum_of(sum) : scale;
    Lanes least = splat(1);
    for (Size b = 0; b < rows.width; b += width) {
      const Lanes e = by * load(A + b);
      store(A + b, e);
      least = lanes::select((load(rows.mask + b) > 0) & (e < least), e, least);
    }
    for (Size j = 0; j < width; ++j) zeros = zeros || least[j] == 0;
  }
  return zeros;
}

/// Sets the reference entry of a change to minus the sum of the others.
inline void centre(const AttentionRows& rows, Size a, double* change) {
  const Size r = rows.reference[a];
  change[r] = 0;
  Lanes others = {};
  for (Size b = 0; b < rows.width; b += width) others += load(change + b);
  change[r] = -lanes::sum_of(others);
}

inline void layer_change_of_attention(const AttentionRows& rows, const double* A, double* M,
                                      double* change) {
  for (Size a = 0; a < rows.count; ++a) {
    const Size row = a * rows.width;
    Lanes mean = {};
    const double reference = rows.normalised ? M[row + rows.reference[a]] : 0;
    for (Size b = row; rows.normalised && b < row + rows.width; b += width) {
      const Lanes m = load(M + b) - reference;
      store(M + b, m);
      mean = multiply_add(load(A + b), m, mean);
    }
    const double c = lanes::sum_of(mean);
    for (Size b = row; b < row + rows.width; b += width) {
      const Lanes m = load(M + b) - c;
      store(M + b, m);
      store(change + b, load(A + b) * m);
    }
    if (rows.normalised) centre(rows, a, change + row);
  }
}

inline void layer_second_change(const AttentionRows& rows, const double* A, const double* M,
                                const double* dA, double* dM, double* change) {
  for (Size a = 0; a < rows.count; ++a) {
    const Size row = a * rows.width;
    Lanes mean = {};
    const double reference = rows.normalised ? dM[row + rows.reference[a]] : 0;
    for (Size b = row; rows.normalised && b < row + rows.width; b += width) {
      const Lanes m = load(dM + b) - reference;
      store(dM + b, m);
      mean = multiply_add(load(dA + b), load(M + b), multiply_add(load(A + b), m, mean));
    }
    const double c = lanes::sum_of(mean);
    for (Size b = row; b < row + rows.width; b += width)
      store(change + b, multiply_add(load(dA + b), load(M + b), load(A + b) * (load(dM + b) - c)));
    if (rows.normalised) centre(rows, a, change + row);
  }
}

inline constexpr LayerKernels layer = {width == 8   ? "avx512"
                                       : width == 4 ? "avx2"
                                                    : "baseline",
                                       layer_product,
                                       layer_product_of_differences,
                                       layer_paired_differences,
                                       layer_attend,
                                       layer_change_of_attention,
                                       layer_second_change};

}  // namespace HEED_ISA
}  // namespace heed::approx::detail
