// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The border between FastKernel and its loops, which are compiled once for each instruction set: plain
// arrays and functions only, no type whose inline functions could be shared with other code.

namespace heed::approx::detail {

/// Rows of doubles are padded with zeros to a multiple of this.
inline constexpr std::ptrdiff_t lane_pad = 8;

/// An array of rows, `step` apart.
struct ConstRows {
  const double* data;
  std::ptrdiff_t step;
};
struct Rows {
  double* data;
  std::ptrdiff_t step;
  operator ConstRows() const { return {data, step}; }
};
/// Any array of two indices: entry (r, k) at r row + k step.
struct Strided {
  const double* data;
  std::ptrdiff_t row, step;
};

/// R x K times K x S; S is a multiple of lane_pad.
struct ProductShape {
  std::ptrdiff_t R, K, S;
};

/// Rows of attention: `count` rows of `width` entries (a multiple of lane_pad), of which the first n
/// count (mask[b] = 1) and the others (mask[b] = 0) are 0 on return. Where `normalised`, rows sum to 1 and reference[a] is the
/// largest score of row a: changes of scores enter relative to it, and its own entry of a change is
/// minus the sum of the others.
struct AttentionRows {
  std::ptrdiff_t count, n, width;
  bool normalised;
  std::ptrdiff_t* reference;
  const double* mask;
};

struct LayerKernels {
  const char* name;
  /// C = A B, or C += A B.
  void (*product)(const ProductShape&, const Strided& A, ConstRows B, Rows C, bool add);
  /// C_r += sum_k A_rk (B_k - V_r).
  void (*product_of_differences)(const ProductShape&, const Strided& A, ConstRows B, ConstRows V,
                                 Rows C);
  /// E_ab = factor sum_c (Q_ac - K_cb)(dQ_ac - dK_cb): a < R, c < K, b < S.
  void (*paired_differences)(const ProductShape&, double factor, ConstRows Q, ConstRows K,
                             ConstRows dQ, ConstRows dK, Rows E);
  /// A: scores on entry; on return exp(factor score) / row sum where normalised, else
  /// scale exp(factor score), for factor score <= 0. True if one of the entries is 0.
  bool (*attend)(const AttentionRows&, double factor, double scale, double* A);
  /// M: slopes on entry; on return relative to the reference and to their mean under A, where
  /// normalised. change = A M, each row centred as AttentionRows says.
  void (*change_of_attention)(const AttentionRows&, const double* A, double* M, double* change);
  /// Change of the above along dA, dM (dM is overwritten): dA M + A (dM - mean), centred.
  void (*second_change)(const AttentionRows&, const double* A, const double* M, const double* dA,
                        double* dM, double* change);
};

/// For the widest instruction set of this processor; `limit` ("baseline", "avx2", "avx512" or null)
/// keeps to a lesser one.
const LayerKernels& layer_kernels(const char* limit = nullptr);

extern const LayerKernels baseline_layer, avx2_layer, avx512_layer;

}  // namespace heed::approx::detail
