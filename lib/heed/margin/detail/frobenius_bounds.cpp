// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/frobenius_bounds.hpp"

namespace heed::detail {
namespace {

/// numerator / denominator of positive integers to `bits` bits, downward or upward.
Rational rounded_ratio(const Integer& numerator, const Integer& denominator, int bits, bool up) {
  const auto size = [](const Integer& x) { return static_cast<long>(fmpz_sizeinbase(x.raw(), 2)); };
  const long shift = bits - (size(numerator) - size(denominator));
  Integer n = numerator, d = denominator;
  if (shift > 0)
    fmpz_mul_2exp(n.raw(), n.raw(), static_cast<ulong>(shift));
  else
    fmpz_mul_2exp(d.raw(), d.raw(), static_cast<ulong>(-shift));
  Integer quotient;
  if (up)
    fmpz_cdiv_q(quotient.raw(), n.raw(), d.raw());
  else
    fmpz_fdiv_q(quotient.raw(), n.raw(), d.raw());
  Rational r;
  fmpz_get_mpz(mpq_numref(r.raw()), quotient.raw());
  return r * Rational::power_of_two(-shift);
}

Integer square(const fmpz* x) {
  Integer s;
  fmpz_mul(s.raw(), x, x);
  return s;
}

Integer product(const Integer& a, const Integer& b) {
  Integer p;
  fmpz_mul(p.raw(), a.raw(), b.raw());
  return p;
}

}  // namespace

std::optional<FrobeniusBounds> frobenius_bounds(const IntegerProblem& problem,
                                                const std::vector<std::size_t>& index,
                                                const std::vector<Integer>& x,
                                                const Combination& at, int bits) {
  Integer total;  // sum b_k x_k
  for (std::size_t j = 0; j < index.size(); ++j)
    if (const fmpz* b = problem.rhs(index[j])) fmpz_addmul(total.raw(), b, x[j].raw());
  if (fmpz_sgn(total.raw()) <= 0) return std::nullopt;
  // The row with the least value / b.
  const std::size_t first = problem.equalities.size();
  std::size_t least = first;
  Integer left, right;
  for (std::size_t k = first; k < problem.size(); ++k) {
    if (fmpz_sgn(at.values[k].raw()) <= 0) return std::nullopt;
    fmpz_mul(left.raw(), at.values[k].raw(), problem.rhs(least));
    fmpz_mul(right.raw(), at.values[least].raw(), problem.rhs(k));
    if (fmpz_cmp(left.raw(), right.raw()) < 0) least = k;
  }
  // In terms of W' = B W: total^2 / N <= min ||W'||^2 <= N (b / value)^2, N = ||M||^2 > 0.
  const Integer B2 = square(problem.B.raw());
  return FrobeniusBounds{rounded_ratio(square(total.raw()), product(at.norm2, B2), bits, false),
                         rounded_ratio(product(at.norm2, square(problem.rhs(least))),
                                       product(square(at.values[least].raw()), B2), bits, true)};
}

}  // namespace heed::detail
