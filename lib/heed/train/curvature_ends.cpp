// SPDX-License-Identifier: Apache-2.0
#include "heed/train/curvature_ends.hpp"

#include "heed/linalg/lanczos.hpp"

namespace heed::approx {

CurvatureEnds curvature_ends(FastKernel& model) {
  const std::size_t size = model.parameters();
  const LinearOperator hessian{size, [&](const double* x, double* y) {
                                 model.hessian_vector_product({x, size}, {y, size});
                               }};
  return {thick_restart_lanczos(hessian, Extreme::smallest, {.tolerance = 1e-9}),
          thick_restart_lanczos(hessian, Extreme::largest, {.tolerance = 1e-9})};
}

}  // namespace heed::approx
