// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/exact_solve.hpp"

#include <algorithm>
#include <utility>

#include "heed/linalg/detail/semidefinite.hpp"

namespace heed {
namespace {

/// Echelon form of A x = b.
struct Echelon {
  Matrix<Rational> a;
  std::vector<Rational> b;
  std::vector<std::size_t> pivots;  // columns, one for each row that is not zero

  Echelon(Matrix<Rational> matrix, std::vector<Rational> right)
      : a(std::move(matrix)), b(std::move(right)) {
    const std::size_t n = a.rows();
    for (std::size_t c = 0; c < n; ++c) {
      const std::size_t at = pivots.size();
      std::size_t r = at;
      while (r < n && a(r, c).sign() == 0) ++r;
      if (r == n) continue;
      if (r != at) {
        std::swap_ranges(a.row(r), a.row(r) + n, a.row(at));
        std::swap(b[r], b[at]);
      }
      for (std::size_t i = at + 1; i < n; ++i) {
        if (a(i, c).sign() == 0) continue;
        const Rational factor = a(i, c) / a(at, c);
        for (std::size_t k = c; k < n; ++k)
          if (a(at, k).sign() != 0) a(i, k) -= factor * a(at, k);
        b[i] -= factor * b[at];
      }
      pivots.push_back(c);
    }
  }

  /// The solution with the coordinates of x in the other columns.
  std::vector<Rational> complete(std::vector<Rational> x) const {
    for (std::size_t r = pivots.size(); r-- > 0;) {
      const std::size_t c = pivots[r];
      Rational rest = b[r];
      for (std::size_t k = c + 1; k < x.size(); ++k)
        if (x[k].sign() != 0) rest -= a(r, k) * x[k];
      x[c] = rest / a(r, c);
    }
    return x;
  }
};

}  // namespace

std::optional<std::vector<Rational>> solve_exactly(Matrix<Rational> a, std::vector<Rational> b) {
  const Echelon e(std::move(a), std::move(b));
  if (e.pivots.size() < e.a.rows()) return std::nullopt;
  return e.complete(std::vector<Rational>(e.a.rows()));
}

std::vector<Rational> solve_consistent(Matrix<Rational> a, std::vector<Rational> b) {
  const Echelon e(std::move(a), std::move(b));
  return e.complete(std::vector<Rational>(e.a.rows()));
}

std::vector<std::vector<Rational>> null_space(Matrix<Rational> a) {
  const std::size_t n = a.rows();
  const Echelon e(std::move(a), std::vector<Rational>(n));
  std::vector<std::vector<Rational>> basis;
  for (std::size_t c = 0; c < n; ++c) {
    if (std::find(e.pivots.begin(), e.pivots.end(), c) != e.pivots.end()) continue;
    std::vector<Rational> v(n);
    v[c] = Rational(1);
    basis.push_back(e.complete(std::move(v)));
  }
  return basis;
}

bool is_positive_semidefinite(const Matrix<Rational>& a) {
  mpz_t common, entry;
  mpz_init_set_ui(common, 1);
  mpz_init(entry);
  for (const Rational& x : a.entries()) mpz_lcm(common, common, mpq_denref(x.raw()));
  detail::IntegerMatrix scaled(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) {
      mpz_divexact(entry, common, mpq_denref(a(i, j).raw()));
      mpz_mul(entry, entry, mpq_numref(a(i, j).raw()));
      fmpz_set_mpz(scaled.at(i, j), entry);
    }
  mpz_clear(entry);
  mpz_clear(common);
  return detail::is_semidefinite_exactly(std::move(scaled));
}

}  // namespace heed
