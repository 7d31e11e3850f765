// SPDX-License-Identifier: Apache-2.0
#include "landscape_matrix.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

// Row r -= (entry (r, k) / pivot) row k, right of column k.
void eliminate(IntervalMatrix& a, std::size_t r, std::size_t k, const Interval& inverse_pivot) {
  const Interval factor = a.at(r, k) * inverse_pivot;
  for (std::size_t c = k + 1; c < a.cols; ++c) a.at(r, c) -= factor * a.at(k, c);
}

// The smallest absolute value in it.
mpz_class least(const Interval& x) {
  if (x.lo() <= 0 && x.hi() >= 0) return 0;
  return std::min<mpz_class>(abs(x.lo()), abs(x.hi()));
}

}  // namespace

IntervalMatrix symmetric_matrix(const std::vector<Interval>& entries, std::size_t order) {
  IntervalMatrix a(order, order);
  for (std::size_t r = 0; r < order; ++r) {
    for (std::size_t c = 0; c <= r; ++c) a.at(r, c) = a.at(c, r) = entries[triangle(r, c)];
  }
  return a;
}

IntervalMatrix matrix_of(const std::vector<mpq_class>& entries, std::size_t rows,
                         std::size_t cols) {
  IntervalMatrix a(rows, cols);
  std::copy(entries.begin(), entries.end(), a.entries.begin());
  return a;
}

IntervalMatrix middle(IntervalMatrix a) {
  for (Interval& x : a.entries) {
    const mpz_class m = (x.lo() + x.hi()) / 2;
    x = Interval::between(m, m);
  }
  return a;
}

bool is_positive_definite(IntervalMatrix a) {
  for (std::size_t k = 0; k < a.rows; ++k) {
    if (!is_positive(a.at(k, k))) return false;
    const Interval inverse = reciprocal(a.at(k, k));
    for (std::size_t r = k + 1; r < a.rows; ++r) eliminate(a, r, k, inverse);
  }
  return true;
}

bool is_nonsingular(IntervalMatrix a) {
  for (std::size_t k = 0; k < a.rows; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < a.rows; ++r) {
      if (least(a.at(r, k)) > least(a.at(best, k))) best = r;
    }
    if (least(a.at(best, k)) == 0) return false;
    for (std::size_t c = 0; c < a.cols; ++c) std::swap(a.at(k, c), a.at(best, c));
    const Interval& pivot = a.at(k, k);
    const Interval inverse = is_positive(pivot) ? reciprocal(pivot) : -reciprocal(-pivot);
    for (std::size_t r = k + 1; r < a.rows; ++r) eliminate(a, r, k, inverse);
  }
  return true;
}

}  // namespace heedcheck
