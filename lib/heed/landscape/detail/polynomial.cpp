// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/polynomial.hpp"

#include <flint/fmpz_poly_factor.h>

#include <stdexcept>

namespace heed::detail {

Polynomial::Polynomial(const std::vector<Rational>& coefficients) : Polynomial() {
  Rational denominator(1);
  for (const Rational& c : coefficients)
    mpz_lcm(mpq_numref(denominator.raw()), mpq_numref(denominator.raw()), mpq_denref(c.raw()));
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    const Rational integer = coefficients[k] * denominator;
    fmpz_poly_set_coeff_mpz(value_, static_cast<slong>(k), mpq_numref(integer.raw()));
  }
  make_primitive();
}

Rational Polynomial::coefficient(long k) const {
  Rational c;
  fmpz_poly_get_coeff_mpz(mpq_numref(c.raw()), value_, k);
  return c;
}

Polynomial Polynomial::derivative() const {
  Polynomial d;
  fmpz_poly_derivative(d.value_, value_);
  return d;
}

int Polynomial::sign_at(const Rational& u) const {
  fmpq_t at, value;
  fmpq_init(at);
  fmpq_init(value);
  fmpq_set_mpq(at, u.raw());
  fmpz_poly_evaluate_fmpq(value, value_, at);
  const int sign = fmpq_sgn(value);
  fmpq_clear(value);
  fmpq_clear(at);
  return sign;
}

int Polynomial::leading_sign() const { return is_zero() ? 0 : fmpz_sgn(fmpz_poly_lead(value_)); }

void Polynomial::make_primitive() {
  if (is_zero()) return;
  fmpz_t content;
  fmpz_init(content);
  fmpz_poly_content(content, value_);
  fmpz_abs(content, content);
  fmpz_poly_scalar_divexact_fmpz(value_, value_, content);
  fmpz_clear(content);
}

Polynomial exact_quotient(const Polynomial& a, const Polynomial& b) {
  Polynomial q;
  if (fmpz_poly_divides(q.raw(), a.raw(), b.raw()) == 0)
    throw std::logic_error("exact_quotient: not a divisor");
  return q;
}

Polynomial greatest_common_divisor(const Polynomial& a, const Polynomial& b) {
  Polynomial g;
  fmpz_poly_gcd(g.raw(), a.raw(), b.raw());
  return g;
}

Polynomial power(const Polynomial& a, long exponent) {
  Polynomial p;
  fmpz_poly_pow(p.raw(), a.raw(), static_cast<ulong>(exponent));
  return p;
}

std::vector<SquareFreeFactor> square_free_factors(const Polynomial& a) {
  fmpz_poly_factor_t factors;
  fmpz_poly_factor_init(factors);
  fmpz_poly_factor_squarefree(factors, a.raw());
  std::vector<SquareFreeFactor> result(static_cast<std::size_t>(factors->num));
  for (std::size_t k = 0; k < result.size(); ++k) {
    fmpz_poly_set(result[k].factor.raw(), factors->p + k);
    result[k].multiplicity = factors->exp[k];
  }
  fmpz_poly_factor_clear(factors);
  return result;
}

}  // namespace heed::detail
