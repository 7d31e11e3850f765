// SPDX-License-Identifier: Apache-2.0
#include "landscape_spectrum.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

constexpr int power_iterations = 12, most_halvings = 80;
constexpr unsigned weight_bits = 32;

using Integers = std::vector<mpz_class>;

Integers times(const Matrix<mpz_class>& radii, const Integers& u) {
  Integers v(u.size());
  for (std::size_t r = 0; r < u.size(); ++r) {
    for (std::size_t c = 0; c < u.size(); ++c) v[r] += radii.at(r, c) * u[c];
  }
  return v;
}

// An upper bound of the spectral radius of a symmetric matrix of numbers >= 0: the largest entry of
// R u / u, for any u > 0; here u is near the eigenvector.
mpz_class spectral_radius(const Matrix<mpz_class>& radii) {
  Integers u(radii.rows, mpz_class(1) << weight_bits);
  for (int k = 0; k < power_iterations; ++k) {
    Integers next = times(radii, u);
    const mpz_class largest = *std::max_element(next.begin(), next.end());
    if (largest == 0) return 0;
    // Shifted by a multiple of the identity, against alternation; never 0.
    for (std::size_t r = 0; r < u.size(); ++r) {
      u[r] = ((next[r] << weight_bits) / largest + u[r]) / 2 + 1;
    }
  }
  const Integers v = times(radii, u);
  mpz_class bound = 0;
  for (std::size_t r = 0; r < u.size(); ++r) {
    bound = std::max<mpz_class>(bound, (v[r] + u[r] - 1) / u[r]);
  }
  return bound;
}

// A lower bound of the least eigenvalue of a matrix of numbers, in units; `enough`: an error that does
// not matter.
mpz_class least_eigenvalue(const IntervalMatrix& numbers, const mpz_class& enough) {
  const std::size_t order = numbers.rows;
  mpz_class low = 0, high = numbers.at(0, 0).lo();
  for (std::size_t r = 0; r < order; ++r) {
    mpz_class row = 1;
    for (std::size_t c = 0; c < order; ++c) row += abs(numbers.at(r, c).lo());
    low = std::min<mpz_class>(low, -row);
    high = std::min<mpz_class>(high, numbers.at(r, r).lo());
  }
  // low: by row sums, or with positive pivots; high: too large, or not proved.
  for (int k = 0; k < most_halvings; ++k) {
    const mpz_class gap = high - low;
    if (gap <= 1 || gap <= enough || gap * 256 <= abs(low)) break;
    const mpz_class middle =
        low < 0 && high > 0 && k == 0 ? mpz_class(0) : mpz_class(low + gap / 2);
    IntervalMatrix shifted = numbers;
    for (std::size_t r = 0; r < order; ++r) {
      shifted.at(r, r) -= Interval::between(middle, middle);
    }
    (is_positive_definite(shifted) ? low : high) = middle;
  }
  return low;
}

mpq_class as_number(const mpz_class& units) { return Interval::between(units, units).lower(); }

}  // namespace

SpectrumBounds spectrum_bounds(const IntervalMatrix& H) {
  const IntervalMatrix numbers = middle(H);
  IntervalMatrix negative = numbers;
  for (Interval& x : negative.entries) x = -x;
  Matrix<mpz_class> radii(H.rows, H.rows);
  for (std::size_t k = 0; k < H.entries.size(); ++k) {
    const mpz_class& m = numbers.entries[k].lo();
    radii.entries[k] = std::max<mpz_class>(H.entries[k].hi() - m, m - H.entries[k].lo());
  }
  const mpz_class spread = spectral_radius(radii), enough = spread / 256;
  return {as_number(least_eigenvalue(numbers, enough) - spread),
          as_number(-least_eigenvalue(negative, enough) + spread)};
}

}  // namespace heedcheck
