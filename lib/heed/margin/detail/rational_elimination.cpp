// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/rational_elimination.hpp"

#include <algorithm>

namespace heed::detail {
namespace {

/// Reduced echelon form of the first n columns in place; the pivot columns, in order of rows.
std::vector<std::size_t> reduce(Matrix<Rational>& a, std::size_t n) {
  std::vector<std::size_t> pivots;
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t at = pivots.size();
    std::size_t r = at;
    while (r < a.rows() && a(r, c).sign() == 0) ++r;
    if (r == a.rows()) continue;
    std::swap_ranges(a.row(r), a.row(r) + a.cols(), a.row(at));
    const Rational pivot = a(at, c);
    for (std::size_t k = c; k < a.cols(); ++k) a(at, k) /= pivot;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      if (i == at || a(i, c).sign() == 0) continue;
      const Rational factor = a(i, c);
      for (std::size_t k = c; k < a.cols(); ++k)
        if (a(at, k).sign() != 0) a(i, k) -= factor * a(at, k);
    }
    pivots.push_back(c);
  }
  return pivots;
}

}  // namespace

std::vector<Rational> solve_consistent(const Matrix<Rational>& G, const std::vector<Rational>& b) {
  const std::size_t n = G.rows();
  Matrix<Rational> a(n, n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(G.row(i), n, a.row(i));
    a(i, n) = b[i];
  }
  std::vector<Rational> x(n);
  const std::vector<std::size_t> pivots = reduce(a, n);
  for (std::size_t r = 0; r < pivots.size(); ++r) x[pivots[r]] = a(r, n);
  return x;
}

std::vector<std::vector<Rational>> null_space(const Matrix<Rational>& G) {
  const std::size_t n = G.rows();
  Matrix<Rational> a = G;
  const std::vector<std::size_t> pivots = reduce(a, n);
  std::vector<std::vector<Rational>> basis;
  for (std::size_t c = 0; c < n; ++c) {
    if (std::find(pivots.begin(), pivots.end(), c) != pivots.end()) continue;
    std::vector<Rational> v(n);
    v[c] = Rational(1);
    for (std::size_t r = 0; r < pivots.size(); ++r) v[pivots[r]] = -a(r, c);
    basis.push_back(std::move(v));
  }
  return basis;
}

}  // namespace heed::detail
