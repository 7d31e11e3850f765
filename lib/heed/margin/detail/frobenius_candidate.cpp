// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_careful.hpp"

namespace heed::detail {
namespace {

// The integer below x 2^exponent.
void floor_to(fmpz* to, const Rational& x, long exponent) {
  const Rational scaled = x * Rational::power_of_two(exponent);
  mpz_t z;
  mpz_init(z);
  mpz_fdiv_q(z, mpq_numref(scaled.raw()), mpq_denref(scaled.raw()));
  fmpz_set_mpz(to, z);
  mpz_clear(z);
}

}  // namespace

FixedPoint frobenius_candidate(const MarginProblem& problem, const ScaledRows& scaled,
                               const MarginBracket& exact, long bits) {
  Matrix<Rational> W = combine(problem.inequalities, problem.Z, exact.lambda);
  const Matrix<Rational> E = combine(problem.equalities, problem.Z, exact.mu);
  FixedPoint x;
  x.bits = bits;
  fmpz_one(x.unit.raw());
  fmpz_mul_2exp(x.unit.raw(), x.unit.raw(), static_cast<ulong>(bits));
  const std::size_t p = problem.p(), q = problem.q();
  x.V = IntegerMatrix(p + q, q);
  for (std::size_t j = 0; j < q; ++j) {
    for (std::size_t i = 0; i < p; ++i)
      floor_to(x.V.at(i, j), W(i, j) + E(i, j), bits - 2 * scaled.scale);
    fmpz_set(x.V.at(p + j, j), x.unit.raw());
  }
  x.l = IntegerMatrix(scaled.source.size(), 1);
  for (std::size_t k = 0; k < scaled.source.size(); ++k) {
    // l A_scaled = lambda A, for multipliers of W / ||W||_F.
    const RowSource& s = scaled.source[k];
    floor_to(x.l.at(k, 0), (s.equality ? exact.mu : exact.lambda)[s.row],
             -scaled.exponent(static_cast<Index>(k)) - 4 * scaled.scale + bits);
  }
  return x;
}

}  // namespace heed::detail
