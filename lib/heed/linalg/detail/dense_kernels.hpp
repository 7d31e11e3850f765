// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace heed::detail {

/// Column-major view: entry (i, j) at data[i + j * stride].
struct ConstView {
  const double* data;
  std::size_t rows, cols, stride;
};
struct View {
  double* data;
  std::size_t rows, cols, stride;
  operator ConstView() const { return {data, rows, cols, stride}; }
};

/// Conventional products and substitutions in double for one instruction set.
///
/// All that error bounds may use: an entry of a product is a sum of the products of entries (and of
/// the entry added to) in some order, with or without fused multiply-add; a substitution computes each
/// entry from such a sum by one division or by a multiplication with a rounded reciprocal.
/// The bits differ between instruction sets, the bounds hold for each.
struct DenseKernels {
  const char* name;
  void (*add_product)(View c, double alpha, ConstView a, ConstView b);     ///< c += alpha a b
  void (*add_product_nt)(View c, double alpha, ConstView a, ConstView b);  ///< .. a b^T
  void (*add_product_tn)(View c, double alpha, ConstView a, ConstView b);  ///< .. a^T b
  void (*add_gram)(View c, double alpha, ConstView a);        ///< lower part of c += alpha a a^T
  void (*solve_lower)(ConstView l, View b);                   ///< b := l^{-1} b
  void (*solve_lower_transposed_right)(ConstView l, View b);  ///< b := b l^{-T}
  void (*add_matrix_vector)(double* y, ConstView a, const double* x);             ///< y += a x
  void (*add_transposed_matrix_vector)(double* y, ConstView a, const double* x);  ///< y += a^T x
};

/// The kernels for this processor, chosen once.
const DenseKernels& dense_kernels();

const DenseKernels& dense_kernels_baseline();
/// AVX2 and FMA; null if the library was built without them or the processor lacks them.
const DenseKernels* dense_kernels_v3();

/// What dense_kernels_v3.cpp was compiled to, for any processor; null if nothing.
extern const DenseKernels* const compiled_dense_kernels_v3;

}  // namespace heed::detail
