// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/linalg/point_saddle.hpp"
#include "heed/linalg/symmetric_operator.hpp"

namespace heed {

class FastInertia;

struct FastEigenvalueOptions {
  double relative_width = 1e-9;  ///< aim for (upper - lower) / |eigenvalue|
  int max_factorizations = 16;
  std::vector<double> candidate = {};    ///< vector to use in place of Lanczos, if not empty
  const FastInertia* inertia = nullptr;  ///< of the same matrix, to spare making it
};

/// Where the end came from that a factorisation has to prove.
enum class FastEigenvalueMethod {
  inertia,  ///< a count of eigenvalues
  norm,     ///< norms: a true interval of no precision
  none      ///< an entry is not finite: (-inf, inf)
};

struct FastEigenvalue {
  double lower = 0, upper = 0;  ///< lower <= eigenvalue <= upper
  FastEigenvalueMethod method = FastEigenvalueMethod::none;
  double residual = 0;              ///< ||A v - theta v||, approximate
  std::vector<double> vector = {};  ///< gave the Rayleigh quotient; of length 1 from Lanczos
  int products = 0;
  int factorizations = 0;
};

/// Encloses the least eigenvalue of every matrix that `a` stands for (see PointSaddle), in double:
/// candidate vector by Lanczos; one end is its Rayleigh quotient with a proved error bound, the other
/// an inertia count just beyond it (FastInertia).
///
/// Guarantee: lower <= lambda_min <= upper, in the unscaled units of the matrix, whatever the
/// candidate was and whether Lanczos converged. If n < sum_h u_h, upper is at most 0 (the zero block
/// contains a kernel vector of J). Not guaranteed: the width. It cannot be below the perturbation or
/// about 2^-52 w (||K|| + ||M||^2 / |lambda_min|).
/// Cost: Lanczos (a product is 2 P w + 2 n P multiplications) and mostly one count. On one core with
/// AVX2: 10 to 25 ms at (n, H, u, w) = (64, 16, 64, 64), 8 s and 0.6 GB at (128, 16, 1024, 1024);
/// without AVX2 twice that (tests/bench/bench_lambda.cpp).
/// Note: proofs-notes/fast_eigenvalue.md.
FastEigenvalue fast_lambda_min(const PointSaddle& a, const FastEigenvalueOptions& options = {});

/// The same for the largest eigenvalue; its width is at least about 2^-52 n ||J||^4 / lambda_max.
FastEigenvalue fast_lambda_max(const PointSaddle& a, const FastEigenvalueOptions& options = {});

}  // namespace heed
