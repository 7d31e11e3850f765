// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/token_span.hpp"

#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>
#include <flint/ulong_extras.h>

#include <algorithm>
#include <stdexcept>

#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

/// All tokens as rows of integers: each row times the least common denominator of its entries.
class IntegerRows {
 public:
  explicit IntegerRows(const std::vector<const Rational*>& rows, std::size_t dim) {
    fmpz_mat_init(m_, static_cast<slong>(rows.size()), static_cast<slong>(dim));
    mpz_t scale, entry;
    mpz_inits(scale, entry, nullptr);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      mpz_set_ui(scale, 1);
      for (std::size_t c = 0; c < dim; ++c) mpz_lcm(scale, scale, mpq_denref(rows[i][c].raw()));
      for (std::size_t c = 0; c < dim; ++c) {
        mpz_divexact(entry, scale, mpq_denref(rows[i][c].raw()));
        mpz_mul(entry, entry, mpq_numref(rows[i][c].raw()));
        fmpz_set_mpz(fmpz_mat_entry(m_, static_cast<slong>(i), static_cast<slong>(c)), entry);
      }
    }
    mpz_clears(scale, entry, nullptr);
  }
  ~IntegerRows() { fmpz_mat_clear(m_); }
  IntegerRows(const IntegerRows&) = delete;
  IntegerRows& operator=(const IntegerRows&) = delete;

  std::size_t rank() const { return static_cast<std::size_t>(fmpz_mat_rank(m_)); }

  /// Rows that are independent modulo the prime, hence over the rationals.
  std::vector<std::size_t> independent_rows(mp_limb_t prime) const {
    fmpz_mat_t columns;
    nmod_mat_t reduced;
    fmpz_mat_init(columns, m_->c, m_->r);
    nmod_mat_init(reduced, m_->c, m_->r, prime);
    fmpz_mat_transpose(columns, m_);
    fmpz_mat_get_nmod_mat(reduced, columns);
    const slong rank = nmod_mat_rref(reduced);
    std::vector<std::size_t> pivots;
    for (slong i = 0, c = 0; i < rank; ++i, ++c) {
      while (nmod_mat_get_entry(reduced, i, c) == 0) ++c;
      pivots.push_back(static_cast<std::size_t>(c));
    }
    nmod_mat_clear(reduced);
    fmpz_mat_clear(columns);
    return pivots;
  }

 private:
  fmpz_mat_t m_;
};

/// Gram-Schmidt by the Cholesky factor L of the Gram matrix: rows = L basis.
std::optional<Matrix<Ball>> orthonormalised(const Matrix<Rational>& rows) {
  const Matrix<Ball> x = map(rows, [](const Rational& q) { return Ball(q); });
  const std::size_t r = x.rows(), d = x.cols();
  Matrix<Ball> factor(r, r), basis(r, d);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Ball rest =
          dot(d, x.row(i), 1, x.row(j), 1) - dot(j, factor.row(i), 1, factor.row(j), 1);
      if (j == i && !certainly(positive(rest))) return std::nullopt;
      factor(i, j) = j == i ? sqrt(rest) : rest / factor(j, j);
    }
    for (std::size_t c = 0; c < d; ++c)
      basis(i, c) = (x(i, c) - dot(i, factor.row(i), 1, basis.data() + c, d)) / factor(i, i);
  }
  return basis;
}

}  // namespace

TokenSpan token_span(const std::vector<Matrix<Rational>>& X) {
  TokenSpan span;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  std::vector<const Rational*> rows;
  for (std::size_t i = 0; i < X.size(); ++i)
    for (std::size_t t = 0; t < X[i].rows(); ++t) {
      places.emplace_back(i, t);
      rows.push_back(X[i].row(t));
    }
  span.dim = X.empty() ? 0 : X.front().cols();
  if (rows.empty() || span.dim == 0) return span;
  const IntegerRows m(rows, span.dim);
  mp_limb_t prime = mp_limb_t{1} << 62;
  std::optional<std::size_t> rank;
  for (;;) {
    prime = n_nextprime(prime, 1);
    const std::vector<std::size_t> chosen = m.independent_rows(prime);
    if (!rank) rank = chosen.size() == std::min(rows.size(), span.dim) ? chosen.size() : m.rank();
    if (chosen.size() != *rank) continue;  // a minor is divisible by this prime
    for (const std::size_t k : chosen) span.rows.push_back(places[k]);
    return span;
  }
}

std::optional<Matrix<Ball>> token_basis(const std::vector<Matrix<Rational>>& X,
                                        const TokenSpan& span) {
  const std::size_t r = span.rank(), d = span.dim;
  if (r == 0 || r == d) return std::nullopt;
  Matrix<Rational> rows(r, d);
  for (std::size_t k = 0; k < r; ++k)
    std::copy_n(X[span.rows[k].first].row(span.rows[k].second), d, rows.row(k));
  const int wanted = working_precision();
  const Ball allowed = ldexp(Ball(1), -wanted - 16);
  const long limit = std::min(64L * wanted, 1'000'000L);
  for (long bits = wanted + 64L; bits <= limit; bits *= 2) {
    const PrecisionScope scope(static_cast<int>(bits));
    std::optional<Matrix<Ball>> basis = orthonormalised(rows);
    const auto narrow = [&](const Ball& x) {
      return x.is_finite() && certainly(less_equal(x.radius(), allowed));
    };
    if (basis && std::all_of(basis->entries().begin(), basis->entries().end(), narrow))
      return basis;
  }
  return std::nullopt;
}

}  // namespace heed
