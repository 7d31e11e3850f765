// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_certify.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

#include "heed/linalg/detail/semidefinite.hpp"
#include "heed/margin/detail/dense_factors.hpp"

namespace heed::detail {
namespace {

Integer power_of_two(long e) {
  Integer x;
  fmpz_set_si(x.raw(), 1);
  fmpz_mul_2exp(x.raw(), x.raw(), static_cast<ulong>(e));
  return x;
}

// x rounded to `bits` significant bits, down or up. x > 0.
Rational rounded(const Rational& x, long bits, bool up) {
  const long shift = bits - static_cast<long>(mpz_sizeinbase(mpq_numref(x.raw()), 2)) +
                     static_cast<long>(mpz_sizeinbase(mpq_denref(x.raw()), 2));
  const Rational scaled = x * Rational::power_of_two(shift);
  Rational r;
  if (up) {
    mpz_cdiv_q(mpq_numref(r.raw()), mpq_numref(scaled.raw()), mpq_denref(scaled.raw()));
  } else {
    mpz_fdiv_q(mpq_numref(r.raw()), mpq_numref(scaled.raw()), mpq_denref(scaled.raw()));
  }
  return r * Rational::power_of_two(-shift);
}

// Moves B so that <E_j, B C^T> = 0 exactly for every equality; V and unit grow by a common factor.
void project_equalities(const ExactRows& rows, FixedPoint& x) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows.equality[k]) list.push_back(k);
  if (list.empty()) return;
  const std::size_t p = rows.p(), q = rows.q(), r = x.V.cols(), J = list.size();
  const IntegerMatrix zC = multiply(rows.z, rows_of(x.V, p, q));  // n x r
  // Row j: the linear form B -> <E_j, B C^T>, entries a_jc (C^T z_j)_s.
  IntegerMatrix form(J, p * r);
  for (std::size_t j = 0; j < J; ++j)
    for (std::size_t c = 0; c < p; ++c)
      for (std::size_t s = 0; s < r; ++s)
        fmpz_mul(form.at(j, c * r + s), rows.a.at(list[j], c), zC.at(rows.query[list[j]], s));
  // Row echelon form of the transpose: its pivot columns name independent forms.
  IntegerMatrix echelon = transpose(form);
  Integer den;
  const slong rank = fmpz_mat_rref(echelon.raw(), den.raw(), echelon.raw());
  std::vector<std::size_t> basis;
  for (std::size_t i = 0, j = 0; i < static_cast<std::size_t>(rank); ++i) {
    while (fmpz_is_zero(echelon.at(i, j))) ++j;
    basis.push_back(j++);
  }
  if (basis.empty()) return;
  IntegerMatrix E(basis.size(), p * r), B(p * r, 1);
  for (std::size_t i = 0; i < basis.size(); ++i)
    for (std::size_t c = 0; c < p * r; ++c) fmpz_set(E.at(i, c), form.at(basis[i], c));
  for (std::size_t c = 0; c < p; ++c)
    for (std::size_t s = 0; s < r; ++s) fmpz_set(B.at(c * r + s, 0), x.V.at(c, s));
  const IntegerMatrix Et = transpose(E), G = multiply(E, Et), f = multiply(E, B);
  IntegerMatrix y(basis.size(), 1);
  if (fmpz_mat_solve_fflu(y.raw(), den.raw(), G.raw(), f.raw()) == 0) return;
  const IntegerMatrix correction = multiply(Et, y);
  fmpz_mat_scalar_mul_fmpz(x.V.raw(), x.V.raw(), den.raw());
  for (std::size_t c = 0; c < p; ++c)
    for (std::size_t s = 0; s < r; ++s)
      fmpz_sub(x.V.at(c, s), x.V.at(c, s), correction.at(c * r + s, 0));
  fmpz_mul(x.unit.raw(), x.unit.raw(), den.raw());
  if (fmpz_sgn(x.unit.raw()) < 0) {
    fmpz_mat_neg(x.V.raw(), x.V.raw());
    fmpz_neg(x.unit.raw(), x.unit.raw());
  }
}

// 4^scale (|B|^2 + |C|^2) / (2 s) for the scaled problem, exactly; nothing if s <= 0 or an equality
// fails.
std::optional<Rational> upper_bound(const ExactRows& rows, const FixedPoint& x, long scale) {
  const IntegerMatrix values = rows.values(x.V);
  long largest = LONG_MIN;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!rows.equality[k]) largest = std::max(largest, rows.exponent[k]);
  Integer least, t;
  bool first = true;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows.equality[k]) {
      if (!fmpz_is_zero(values.at(k, 0))) return {};
      continue;
    }
    if (fmpz_sgn(values.at(k, 0)) <= 0) return {};
    // value / b_k, times 2^largest.
    fmpz_mul_2exp(t.raw(), values.at(k, 0), static_cast<ulong>(largest - rows.exponent[k]));
    if (first || fmpz_cmp(t.raw(), least.raw()) < 0) fmpz_set(least.raw(), t.raw());
    first = false;
  }
  Integer squares;
  for (std::size_t i = 0; i < x.V.rows(); ++i)
    for (std::size_t j = 0; j < x.V.cols(); ++j)
      fmpz_addmul(squares.raw(), x.V.at(i, j), x.V.at(i, j));
  // s = least 2^-largest / (unit^2 denominator), the norms are squares / unit^2: unit cancels.
  fmpz_mul(squares.raw(), squares.raw(), rows.denominator.raw());
  return ratio(squares.raw(), least.raw()) * Rational::power_of_two(largest + 2 * scale - 1);
}

double spectral_norm(const IntegerMatrix& M, const Integer& unit) {
  MatrixXd m(static_cast<Index>(M.rows()), static_cast<Index>(M.cols()));
  slong eu = 0;
  const double u = fmpz_get_d_2exp(&eu, unit.raw());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) {
      slong e = 0;
      const double d =
          fmpz_get_d_2exp(&e, M.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
      m(i, j) = std::ldexp(d / u, static_cast<int>(std::clamp<long>(e - eu, -2000, 2000)));
    }
  const MatrixXd G =
      m.rows() < m.cols() ? MatrixXd(m * m.transpose()) : MatrixXd(m.transpose() * m);
  return std::sqrt(std::max(0.0, symmetric_eigenvalues(G).maxCoeff()));
}

// The largest lo found with (sum lambda)^2 I - lo^2 M^T M proved semidefinite; 0 if none.
Rational lower_bound(const ExactRows& rows, const FixedPoint& x, long scale, long bits) {
  Rational dual;  // sum b_k l_k
  {
    Integer sum, t;
    long least = LONG_MAX;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (!rows.equality[k]) least = std::min(least, rows.exponent[k]);
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (!rows.equality[k]) {
        fmpz_mul_2exp(t.raw(), x.l.at(k, 0), static_cast<ulong>(rows.exponent[k] - least));
        fmpz_add(sum.raw(), sum.raw(), t.raw());
      }
    dual = ratio(sum.raw(), power_of_two(0).raw()) * Rational::power_of_two(least - x.bits);
  }
  if (dual.sign() <= 0) return Rational();
  IntegerMatrix M = rows.combine(x.l);
  if (fmpz_mat_is_zero(M.raw())) return Rational();
  Integer unit;
  fmpz_mul_2exp(unit.raw(), rows.denominator.raw(), static_cast<ulong>(x.bits));
  if (M.rows() < M.cols()) M = transpose(M);
  // ||M|| <= (dual / lo) unit: candidates of dual / lo, from tight to loose.
  const double norm = spectral_norm(M, unit);
  std::vector<std::pair<double, long>> candidates;  // value, exponent of the addition
  if (std::fabs(norm - 1) < 1e-13)
    for (long j = bits - 2; j > 45; j -= std::max<long>(6, j / 6)) candidates.push_back({1.0, j});
  for (const long j : {44, 36, 28, 20, 10, 4}) candidates.push_back({norm, j});
  for (const auto& [value, j] : candidates) {
    const Rational tau = Rational(value) * (Rational(1) + Rational::power_of_two(-j));
    const Rational lo = rounded(dual / tau, bits, false);
    const Rational t = dual / lo * ratio(unit.raw(), power_of_two(0).raw());
    Integer alpha, beta;
    fmpz_set_mpz(alpha.raw(), mpq_numref(t.raw()));
    fmpz_set_mpz(beta.raw(), mpq_denref(t.raw()));
    fmpz_mul(alpha.raw(), alpha.raw(), alpha.raw());
    fmpz_mul(beta.raw(), beta.raw(), beta.raw());
    if (is_semidefinite(alpha, beta, M, j + 64)) return lo * Rational::power_of_two(2 * scale);
  }
  return Rational();
}

}  // namespace

std::optional<MarginBracket> certify(const MarginProblem& problem, const ScaledRows& scaled,
                                     const ExactRows& rows, FixedPoint x, long bits) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!rows.equality[k] && fmpz_sgn(x.l.at(k, 0)) < 0) fmpz_zero(x.l.at(k, 0));
  project_equalities(rows, x);
  const std::optional<Rational> hi = upper_bound(rows, x, scaled.scale);
  if (!hi) return {};
  MarginBracket bracket;
  bracket.hi = rounded(*hi, bits, true);
  bracket.lo = lower_bound(rows, x, scaled.scale, bits);
  bracket.lambda.resize(problem.inequalities.size());
  bracket.mu.resize(problem.equalities.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    // l A_scaled = lambda A with A = 2^(row + query exponent) A_scaled.
    const RowSource& source = scaled.source[k];
    const long e = scaled.row_exponent[k] + scaled.query_exponent[rows.query[k]];
    (source.equality ? bracket.mu : bracket.lambda)[source.row] =
        ratio(x.l.at(k, 0), power_of_two(0).raw()) * Rational::power_of_two(-e - x.bits);
  }
  const auto factor = [&](std::size_t first, std::size_t count) {
    Matrix<Rational> f(count, x.V.cols());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < x.V.cols(); ++j)
        f(i, j) = ratio(x.V.at(first + i, j), x.unit.raw()) * Rational::power_of_two(scaled.scale);
    return f;
  };
  bracket.B = factor(0, rows.p());
  bracket.C = factor(rows.p(), rows.q());
  return bracket;
}

}  // namespace heed::detail
