// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// The midpoint, exactly. Errors: std::invalid_argument if it is not finite.
Rational midpoint_of(const Ball& x);

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
/// they are singular or not finite.
Matrix<Rational> approx_inverse(const Matrix<Ball>& symmetric, int bits);

/// True if every entry is finite.
bool is_finite(const Matrix<Ball>& a);
bool is_finite(const std::vector<Ball>& a);

}  // namespace heed::detail
