// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/exact_solve.hpp"

#include <utility>

namespace heed {

std::optional<std::vector<Rational>> solve_exactly(Matrix<Rational> a, std::vector<Rational> b) {
  const std::size_t n = a.rows();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    while (pivot < n && a(pivot, c).sign() == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    if (pivot != c) {
      for (std::size_t j = c; j < n; ++j) std::swap(a(pivot, j), a(c, j));
      std::swap(b[pivot], b[c]);
    }
    for (std::size_t i = c + 1; i < n; ++i) {
      if (a(i, c).sign() == 0) continue;
      const Rational factor = a(i, c) / a(c, c);
      for (std::size_t j = c; j < n; ++j) a(i, j) -= factor * a(c, j);
      b[i] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t j = c + 1; j < n; ++j) b[c] -= a(c, j) * b[j];
    b[c] /= a(c, c);
  }
  return b;
}

bool is_positive_semidefinite(Matrix<Rational> a) {
  const std::size_t n = a.rows();
  for (std::size_t c = 0; c < n; ++c) {
    if (a(c, c).sign() < 0) return false;
    if (a(c, c).sign() == 0) {
      for (std::size_t j = c + 1; j < n; ++j)
        if (a(c, j).sign() != 0) return false;
      continue;
    }
    for (std::size_t i = c + 1; i < n; ++i) {
      if (a(i, c).sign() == 0) continue;
      const Rational factor = a(i, c) / a(c, c);
      for (std::size_t j = c + 1; j < n; ++j) a(i, j) -= factor * a(c, j);
    }
  }
  return true;
}

}  // namespace heed
