// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/linalg/approx_eigen.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/fast_inertia.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {

/// One end of a spectrum, enclosed in double, and a bound of all other eigenvalues of the matrix.
struct SeparatedEnd {
  FastEigenvalue end;
  /// Least end: every other eigenvalue is >= *others; largest end: <= *others. Beyond the end itself.
  std::optional<double> others;
};

/// A number that all eigenvalues but the least (largest), counted with multiplicity, reach (do not pass),
/// near `shift`, which is in the scaled units of the matrix; from one count. Empty if two eigenvalues may
/// lie on the side of the end, or nothing is known.
std::optional<double> bound_others(const FastInertia& inertia, Extreme end, double shift);

/// As fast_lambda_min or fast_lambda_max, and one inertia count more between that eigenvalue and the
/// next, which a second Lanczos run with the first vector deflated finds.
///
/// Guarantee: of `others`, for every matrix that the PointSaddle stands for, counted with multiplicity. Not
/// guaranteed: that there is one; there is none if the end is a multiple eigenvalue, and none if the
/// next one is closer than counts in double resolve.
/// Note: proofs-notes/kernel_ends.md.
SeparatedEnd separated_end(const FastInertia& inertia, Extreme end);

/// Enclosures of theta = v.Av / v.v and of |Av - theta v| / |v|; not finite if v may be 0.
struct RayleighBounds {
  Ball quotient, residual;
};
RayleighBounds rayleigh_bounds(const std::vector<Ball>& v, const std::vector<Ball>& Av);

/// Encloses the end of the spectrum of a symmetric A by the bound of Kato and Temple,
///   theta - |Av - theta v|^2 / ((others - theta) |v|^2) <= lambda_min <= theta,
/// or likewise lambda_max; `others` bounds all other eigenvalues, as above. Empty where it does not lie
/// beyond theta certainly. Narrow as the square of the residual.
std::optional<Ball> temple_enclosure(const RayleighBounds& v, Extreme end, const Ball& others);

namespace approx {

/// Approximate x, orthogonal to v, with (A - theta) x = b - v (v.b): conjugate gradients on the
/// complement of the unit vector v, where A - theta is definite if theta is that end of the spectrum.
/// Stops at |b| 2^-30 or after max_products. A candidate; what it returns carries no bound.
std::vector<double> complement_solve(const LinearOperator& a, double theta, Extreme end,
                                     const std::vector<double>& v, std::vector<double> b,
                                     int max_products = 2000);

}  // namespace approx
}  // namespace heed
