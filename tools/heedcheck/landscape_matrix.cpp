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

void subtract(IntervalMatrix& a, std::size_t r, const Interval& factor, std::size_t k) {
  for (std::size_t c = 0; c < a.cols; ++c) a.at(r, c) -= factor * a.at(k, c);
}

// Turns b into the solution of a x = b; false where a pivot does not exclude 0.
bool reduce(IntervalMatrix& a, IntervalMatrix& b) {
  for (std::size_t k = 0; k < a.rows; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < a.rows; ++r) {
      if (least(a.at(r, k)) > least(a.at(best, k))) best = r;
    }
    const Interval pivot = a.at(best, k);
    if (least(pivot) == 0) return false;
    const Interval inverse = is_positive(pivot) ? reciprocal(pivot) : -reciprocal(-pivot);
    for (IntervalMatrix* m : {&a, &b}) {
      for (std::size_t c = 0; c < m->cols; ++c) {
        std::swap(m->at(k, c), m->at(best, c));
        m->at(k, c) = inverse * m->at(k, c);
      }
    }
    for (std::size_t r = 0; r < a.rows; ++r) {
      if (r == k) continue;
      const Interval factor = a.at(r, k);
      subtract(a, r, factor, k);
      subtract(b, r, factor, k);
    }
  }
  return true;
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

std::optional<IntervalMatrix> solve(const IntervalMatrix& a, const IntervalMatrix& b) {
  IntervalMatrix inverse(a.rows, a.rows), around = middle(a);
  for (std::size_t k = 0; k < a.rows; ++k) inverse.at(k, k) = Interval(mpq_class(1));
  if (!reduce(around, inverse)) return {};
  const IntervalMatrix C = middle(inverse);
  IntervalMatrix Ca = product(C, a), x = product(C, b);
  if (!reduce(Ca, x)) return {};
  return x;
}

bool is_nonsingular(const IntervalMatrix& a) {
  return solve(a, IntervalMatrix(a.rows, 0)).has_value();
}

RationalMatrix row_basis(RationalMatrix a) {
  std::size_t rank = 0;
  for (std::size_t k = 0; k < a.cols && rank < a.rows; ++k) {
    std::size_t pivot = rank;
    while (pivot < a.rows && a.at(pivot, k) == 0) ++pivot;
    if (pivot == a.rows) continue;
    for (std::size_t c = 0; c < a.cols; ++c) std::swap(a.at(pivot, c), a.at(rank, c));
    for (std::size_t r = 0; r < a.rows; ++r) {
      if (r == rank) continue;
      const mpq_class factor = a.at(r, k) / a.at(rank, k);
      for (std::size_t c = k; c < a.cols; ++c) a.at(r, c) -= factor * a.at(rank, c);
    }
    ++rank;
  }
  a.rows = rank;
  a.entries.resize(rank * a.cols);
  return a;
}

}  // namespace heedcheck
