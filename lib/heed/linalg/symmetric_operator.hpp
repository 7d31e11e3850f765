// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "heed/numeric/ball.hpp"

namespace heed {

/// Which end of the spectrum.
enum class Extreme { smallest, largest };

/// A factorisation of A - s I up to a bounded error: A - s I = F + E with ||E||_2 <= error, where the
/// inertia of F is known exactly. So A has at least `negative` eigenvalues <= s + error and at least
/// size - negative eigenvalues >= s - error.
class ShiftedFactorization {
 public:
  virtual ~ShiftedFactorization() = default;
  std::size_t negative = 0;
  Ball error;  ///< upper bound of ||E||_2; not finite if none could be proved

  /// Approximation of (A - s I)^{-1} b; empty if F is singular.
  virtual std::vector<Ball> approx_solve(const std::vector<Ball>& b) const = 0;
};

/// Real symmetric matrix that is known through enclosures: every statement made from these functions
/// holds for each real symmetric matrix inside the enclosure.
class SymmetricOperator {
 public:
  virtual ~SymmetricOperator() = default;
  virtual std::size_t size() const = 0;
  /// Enclosure of A v.
  virtual std::vector<Ball> apply(const std::vector<Ball>& v) const = 0;
  /// Upper bound of ||A||_2.
  virtual Ball norm_bound() const = 0;
  virtual std::unique_ptr<ShiftedFactorization> factor_shifted(const Ball& s) const = 0;
  /// Candidate for an eigenvector at that end; carries no guarantee.
  virtual std::vector<double> approx_extreme_vector(Extreme end) const = 0;
  /// Distance from an eigenvalue, relative to the norm, that the factorisation still resolves.
  virtual Ball resolution() const = 0;
};

}  // namespace heed
