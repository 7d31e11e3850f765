// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::test {

/// The exact value of a single point.
inline Rational rational(const Ball& point) {
  fmpq_t q;
  fmpq_init(q);
  arf_get_fmpq(q, arb_midref(arb(point)));
  Rational r;
  fmpq_get_mpq(r.raw(), q);
  fmpq_clear(q);
  return r;
}

struct Inertia {
  std::size_t negative = 0, zero = 0, positive = 0;
  friend bool operator==(const Inertia&, const Inertia&) = default;
};

/// Numbers of eigenvalues of A below, at and above s, by congruence over the rationals: an exact
/// count that shares nothing with the factorisations of the library.
inline Inertia exact_inertia(Matrix<Rational> a, const Rational& s) {
  const std::size_t n = a.rows();
  for (std::size_t i = 0; i < n; ++i) a(i, i) -= s;
  Inertia count;
  const auto exchange = [&](std::size_t p, std::size_t q) {
    for (std::size_t j = 0; j < n; ++j) std::swap(a(p, j), a(q, j));
    for (std::size_t i = 0; i < n; ++i) std::swap(a(i, p), a(i, q));
  };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    while (p < n && a(p, p).sign() == 0) ++p;
    if (p == n) {
      // All remaining diagonals vanish: add row and column j to k where a_kj does not.
      std::size_t i = k, j = k;
      for (std::size_t r = k; r < n && i == j; ++r)
        for (std::size_t c = k; c < r; ++c)
          if (a(r, c).sign() != 0) {
            i = r;
            j = c;
            break;
          }
      if (i == j) {
        count.zero += n - k;
        return count;
      }
      for (std::size_t c = 0; c < n; ++c) a(j, c) += a(i, c);
      for (std::size_t r = 0; r < n; ++r) a(r, j) += a(r, i);
      p = j;
    }
    if (p != k) exchange(k, p);
    (a(k, k).sign() < 0 ? count.negative : count.positive) += 1;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (a(i, k).sign() == 0) continue;
      const Rational factor = a(i, k) / a(k, k);
      for (std::size_t j = k + 1; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return count;
}

/// True if the enclosure contains the least eigenvalue, by exact counts at its ends.
inline bool encloses_least(const Ball& x, const Matrix<Rational>& a) {
  const Inertia low = exact_inertia(a, rational(x.lower())),
                high = exact_inertia(a, rational(x.upper()));
  return x.is_finite() && low.negative == 0 && high.negative + high.zero > 0;
}
inline bool encloses_largest(const Ball& x, const Matrix<Rational>& a) {
  const Inertia low = exact_inertia(a, rational(x.lower())),
                high = exact_inertia(a, rational(x.upper()));
  return x.is_finite() && high.positive == 0 && low.positive + low.zero > 0;
}

inline Matrix<Ball> balls(const Matrix<Rational>& a) {
  return map(a, [](const Rational& q) { return Ball(q); });
}

}  // namespace heed::test
