// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/margin/margin_problem.hpp"

namespace heed::detail {

/// <A_k, A_l> = (a_k . a_l) (z_{i(k)} . z_{i(l)}), exactly: m x m.
inline Matrix<Rational> row_gram(const RankOneRows& rows, const Matrix<Rational>& Z) {
  const auto product = [](const Rational* a, const Rational* b, std::size_t n) {
    Rational sum;
    for (std::size_t c = 0; c < n; ++c) sum += a[c] * b[c];
    return sum;
  };
  Matrix<Rational> G(rows.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t l = 0; l <= k; ++l)
      G(k, l) = G(l, k) = product(rows.a.row(k), rows.a.row(l), rows.a.cols()) *
                          product(Z.row(rows.query[k]), Z.row(rows.query[l]), Z.cols());
  return G;
}

}  // namespace heed::detail
