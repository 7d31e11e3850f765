// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/kernel_fast.hpp"
#include "heed/linalg/approx_eigen.hpp"

namespace heed::approx {

/// Least and largest eigenvalue of the Hessian over the trained blocks, where the model stands.
struct CurvatureEnds {
  LanczosResult least, largest;
};

/// By thick-restart Lanczos on Hessian-vector products. NOT guaranteed, as thick_restart_lanczos says;
/// kernel_curvature.hpp encloses both ends.
/// Cost: some hundred products.
CurvatureEnds curvature_ends(FastKernel& model);

}  // namespace heed::approx
