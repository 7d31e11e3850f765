// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::test {

/// Symmetric matrices with known spectra, as exact numbers.

using RationalMatrix = Matrix<Rational>;

template <class F>
RationalMatrix symmetric(std::size_t n, F entry) {
  RationalMatrix a(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      a(i, j) = a(j, i) = Rational(entry(static_cast<long>(i), static_cast<long>(j)));
  return a;
}

/// Eigenvalues 0, 1020, 1000 (twice), 510 +- 100 sqrt 26, +- 10 sqrt 10405.
inline RationalMatrix rosser() {
  static const long a[8][8] = {
      {611, 196, -192, 407, -8, -52, -49, 29}, {196, 899, 113, -192, -71, -43, -8, -44},
      {-192, 113, 899, 196, 61, 49, 8, 52},    {407, -192, 196, 611, 8, 44, 59, -23},
      {-8, -71, 61, 8, 411, -599, 208, 208},   {-52, -43, 49, 44, -599, 411, 208, 208},
      {-49, -8, 8, 59, 208, 208, 99, -911},    {29, -44, 52, -23, 208, 208, -911, 99}};
  return symmetric(8, [](long i, long j) { return a[i][j]; });
}

/// W_{2m+1}^+: diagonal |m - i|, off-diagonals 1.
inline RationalMatrix wilkinson(long m) {
  return symmetric(static_cast<std::size_t>(2 * m + 1), [m](long i, long j) {
    return i == j ? std::labs(m - i) : (i == j + 1 ? 1L : 0L);
  });
}

/// Entries 1/(i + j + 1).
inline RationalMatrix hilbert(std::size_t n) {
  return symmetric(n, [](long i, long j) { return Rational(1, i + j + 1); });
}

/// Sylvester's Hadamard matrix of order 2^k, symmetric: eigenvalues +- 2^(k/2).
inline RationalMatrix hadamard(int k) {
  return symmetric(std::size_t{1} << k, [](long i, long j) {
    return __builtin_parityl(static_cast<unsigned long>(i & j)) != 0 ? -1L : 1L;
  });
}

/// Adjacency matrix of the cycle: eigenvalues 2 cos(2 pi k/n), all but the ends double.
inline RationalMatrix cycle(long n) {
  return symmetric(static_cast<std::size_t>(n),
                   [n](long i, long j) { return i - j == 1 || i - j == n - 1 ? 1L : 0L; });
}

inline RationalMatrix ones(std::size_t n) {
  return symmetric(n, [](long, long) { return 1L; });
}

inline RationalMatrix scaled(RationalMatrix a, const Rational& c) {
  for (Rational& x : a.entries()) x *= c;
  return a;
}

}  // namespace heed::test
