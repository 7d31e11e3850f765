// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/linalg/detail/integer_matrix.hpp"

namespace heed::detail {

/// True only if the symmetric integer matrix is positive semidefinite, decided exactly.
///
/// Fraction-free elimination: a negative pivot, or a zero pivot whose remaining row is not zero,
/// rejects; a zero row is passed over. Cost: n^3 / 3 products of minors.
bool is_semidefinite_exactly(IntegerMatrix a);

/// True only if alpha I - beta M^T M is positive semidefinite; alpha, beta >= 0 integers.
///
/// First by a Cholesky factorisation in balls of `bits` bits and up to eight times as many, which
/// can only succeed for definite matrices; then, up to order 16, by exact elimination. So false may
/// also mean that nothing was found out.
bool is_semidefinite(const Integer& alpha, const Integer& beta, const IntegerMatrix& M, long bits);

/// True only if the symmetric matrix is positive definite, by balls alone.
bool is_definite(const IntegerMatrix& a, long bits);

}  // namespace heed::detail
