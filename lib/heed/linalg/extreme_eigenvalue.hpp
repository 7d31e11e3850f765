// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/linalg/symmetric_operator.hpp"

namespace heed {

/// Enclosure of the least or largest eigenvalue of a symmetric operator.
struct EigenvalueEnclosure {
  Ball value;                ///< contains the eigenvalue of every matrix inside the operator
  Ball residual;             ///< upper bound of ||A v - theta v|| / ||v|| for the vector below
  std::vector<Ball> vector;  ///< approximate eigenvector that gave the Rayleigh bound
  int factorizations = 0;
};

/// Encloses lambda_min (or lambda_max) of A.
///
/// Guarantee: `value` contains the eigenvalue, whatever the candidate vector was: one end is a
/// Rayleigh quotient or an inertia count, the other an inertia count of A - s I.
/// Aim: width <= 10^-digits |value|, by inverse iteration with quadratic convergence. Not guaranteed:
/// that the aim is met; an eigenvalue 0, wide entries or a low working precision leave a wider
/// result. Check `value.has_relative_digits(digits)`, and repeat at a higher working precision.
/// A matrix with an entry that is not finite gives a value that is not finite.
/// Preconditions: size() >= 1, else std::invalid_argument; 0 <= digits <= 20'000.
/// Errors: std::runtime_error outside of the standard float environment (float_environment.hpp).
/// Cost: 2 to 6 factorisations at usual precision.
/// Note: proofs-notes/eigenvalue_enclosure.md.
EigenvalueEnclosure enclose_extreme_eigenvalue(const SymmetricOperator& a, Extreme end, int digits);

}  // namespace heed
