// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/dyadic.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "heed/linalg/ldlt.hpp"
#include "heed/numeric/ball_arb.hpp"

namespace heed::detail {
namespace {

// floor(x + 1/2) for x >= 0.
Rational round_to_integer(const Rational& x) {
  const Rational shifted = abs(x) + Rational(1, 2);
  Rational result;
  mpz_fdiv_q(mpq_numref(result.raw()), mpq_numref(shifted.raw()), mpq_denref(shifted.raw()));
  return x.sign() < 0 ? -result : result;
}

}  // namespace

std::optional<Rational> approx_midpoint(const Ball& x) {
  constexpr long limit = 10'000;
  if (!x.is_finite() || approx::exponent(x) > limit) return std::nullopt;
  Rational result;
  if (approx::exponent(x) < -limit) return result;
  const Ball mid = x.midpoint();
  fmpq_t q;
  fmpq_init(q);
  arf_get_fmpq(q, arb_midref(arb(mid)));
  fmpq_get_mpq(result.raw(), q);
  fmpq_clear(q);
  return result;
}

Rational round_binary(const Rational& x, long bits) {
  return round_to_integer(x * Rational::power_of_two(bits)) * Rational::power_of_two(-bits);
}

Rational decimal_unit(int digits) {
  Rational scale(1);
  mpz_ui_pow_ui(mpq_numref(scale.raw()), 10,
                static_cast<unsigned long>(digits < 0 ? -digits : digits));
  return digits < 0 ? scale : Rational(1) / scale;
}

Rational round_decimal(const Rational& x, int digits) {
  const Rational unit = decimal_unit(digits);
  return round_to_integer(x / unit) * unit;
}

Rational round_relative(const Rational& x, int bits) {
  if (x.sign() == 0) return x;
  const auto size = [](mpz_srcptr z) { return static_cast<long>(mpz_sizeinbase(z, 2)); };
  const long exponent = size(mpq_numref(x.raw())) - size(mpq_denref(x.raw()));
  return round_binary(x, bits - exponent);
}

bool is_finite(const std::vector<Ball>& a) {
  return std::all_of(a.begin(), a.end(), [](const Ball& x) { return x.is_finite(); });
}
bool is_finite(const Matrix<Ball>& a) { return is_finite(a.entries()); }

Matrix<double> approx_eigenvectors(const Matrix<Ball>& symmetric) {
  const auto n = static_cast<Eigen::Index>(symmetric.rows());
  long largest = std::numeric_limits<long>::min();
  for (const Ball& x : symmetric.entries()) largest = std::max(largest, approx::exponent(x));
  largest = std::clamp(largest, -approx::exponent_limit, approx::exponent_limit);
  Eigen::MatrixXd m(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const Ball& x = symmetric(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      m(i, j) = approx::to_double(ldexp(x.midpoint(), -largest));
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
  Matrix<double> vectors(symmetric.rows(), symmetric.rows());
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      vectors(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) =
          solver.eigenvectors()(i, j);
  return vectors;
}

Matrix<Rational> approx_inverse(const Matrix<Ball>& symmetric, int bits) {
  if (!is_finite(symmetric)) return {};
  const Matrix<Ball> mid = map(symmetric, [](const Ball& x) { return x.midpoint(); });
  const Ldlt<Ball> factors(mid);
  if (factors.zero() != 0) return {};
  const std::size_t n = mid.rows();
  Matrix<Rational> inverse(n, n);
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<Ball> unit(n);
    unit[c] = Ball(1);
    const std::vector<Ball> column = factors.solve(unit);
    for (std::size_t r = 0; r < n; ++r) {
      const auto entry = approx_midpoint(column[r]);
      if (!entry) return {};
      inverse(r, c) = round_relative(*entry, bits);
    }
  }
  return inverse;
}

}  // namespace heed::detail
