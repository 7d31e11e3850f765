// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/kernel_fast.hpp"
#include "heed/linalg/approx_eigen.hpp"

namespace heed::approx {

/// Least and largest eigenvalue of the Hessian over the trained blocks, where the model stands.
struct CurvatureEnds {
  LanczosResult least, largest;
};

/// Up to 32 parameters from the dense matrix, beyond that by thick-restart Lanczos on Hessian-vector
/// products. `residual` is |H v - value v| for the unit vector v, so up to rounding some eigenvalue lies
/// that close to the value. NOT guaranteed: that it is the extreme one, as thick_restart_lanczos says;
/// kernel_ends.hpp encloses both ends.
/// Cost: a product a parameter, or 84 to some hundred: 0.2 ms at P = 32, 27 ms at P = 784, N = 32, where the
/// dense matrix takes 0.8 s.
CurvatureEnds curvature_ends(FastKernel& model);

}  // namespace heed::approx
