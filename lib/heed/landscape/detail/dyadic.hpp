// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// The midpoint of a candidate; 0 below 2^-10000, nothing if it is not finite or beyond 2^10000.
std::optional<Rational> approx_midpoint(const Ball& x);

/// The multiple of 2^-bits (of 10^-digits) nearest to x, ties away from zero.
Rational round_binary(const Rational& x, long bits);
Rational round_decimal(const Rational& x, int digits);

/// 10^-digits.
Rational decimal_unit(int digits);

/// Rounded to about `bits` bits after its leading one.
Rational round_relative(const Rational& x, int bits);

/// Approximate eigenvectors of the midpoints in double, by columns and rising eigenvalues.
Matrix<double> approx_eigenvectors(const Matrix<Ball>& symmetric);

/// The approximate inverse of the midpoints of a symmetric matrix, entries rounded to `bits` bits; empty if
/// they are singular or too large.
Matrix<Rational> approx_inverse(const Matrix<Ball>& symmetric, int bits);

/// True if every entry is finite.
bool is_finite(const Matrix<Ball>& a);
bool is_finite(const std::vector<Ball>& a);

}  // namespace heed::detail
