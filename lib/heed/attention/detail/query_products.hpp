// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "heed/linalg/product.hpp"

namespace heed::detail {

// The products of query attention. Enclosures want one `dot` an entry, rounded once; double wants sums
// that do not wait for each other.

// m w: out_t = sum_c m(t, c) w_c.
template <class S>
void apply_rows(const Matrix<S>& m, const S* w, S* out) {
  const std::size_t n = m.cols();
  for (std::size_t t = 0; t < m.rows(); ++t) {
    const S* x = m.row(t);
    if constexpr (std::is_same_v<S, double>) {
      double a = 0, b = 0, c = 0, d = 0;
      std::size_t k = 0;
      for (; k + 4 <= n; k += 4) {
        a += x[k] * w[k];
        b += x[k + 1] * w[k + 1];
        c += x[k + 2] * w[k + 2];
        d += x[k + 3] * w[k + 3];
      }
      for (; k < n; ++k) a += x[k] * w[k];
      out[t] = (a + b) + (c + d);
    } else {
      out[t] = dot(n, x, 1, w, 1);
    }
  }
}

// m^T w: out_c = sum_t w_t m(t, c).
template <class S>
void combine_rows(const Matrix<S>& m, const S* w, S* out) {
  const std::size_t n = m.cols();
  if constexpr (std::is_same_v<S, double>) {
    std::fill(out, out + n, 0.0);
    for (std::size_t t = 0; t < m.rows(); ++t) {
      const double* x = m.row(t);
      const double factor = w[t];
      for (std::size_t c = 0; c < n; ++c) out[c] += factor * x[c];
    }
  } else {
    for (std::size_t c = 0; c < n; ++c) out[c] = dot(m.rows(), w, 1, m.data() + c, n);
  }
}

// a^T b, with a: n x p and b: n x q.
template <class S>
Matrix<S> fold(const Matrix<S>& a, const Matrix<S>& b) {
  if constexpr (std::is_same_v<S, double>) {
    Matrix<double> c(a.cols(), b.cols());
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t r = 0; r < a.cols(); ++r) {
        const double factor = a(i, r);
        const double* x = b.row(i);
        double* out = c.row(r);
        for (std::size_t k = 0; k < b.cols(); ++k) out[k] += factor * x[k];
      }
    return c;
  } else {
    return transposed_multiply(a, b);
  }
}

// a b^T, with a: n x k and b: m x k: row i is b a_i.
template <class S>
Matrix<S> apply_to_rows(const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> c(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) apply_rows(b, a.row(i), c.row(i));
  return c;
}

}  // namespace heed::detail
