// SPDX-License-Identifier: Apache-2.0
#include "heed/train/curvature_ends.hpp"

#include <cmath>

#include "heed/linalg/lanczos.hpp"

namespace heed::approx {
namespace {

// Up to here the dense matrix is faster, and cannot miss the end.
constexpr std::size_t dense_limit = 32;

LanczosResult from_matrix(const Matrix<double>& H, Extreme end) {
  LanczosResult r;
  r.vector = extreme_eigenvector(H, end);
  const std::vector<double>& v = r.vector;
  std::vector<double> Hv(v.size());
  double squares = 0, product = 0, residual = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    for (std::size_t j = 0; j < v.size(); ++j) Hv[k] += H(k, j) * v[j];
    squares += v[k] * v[k];
    product += v[k] * Hv[k];
  }
  r.value = product / squares;
  for (std::size_t k = 0; k < v.size(); ++k)
    residual += (Hv[k] - r.value * v[k]) * (Hv[k] - r.value * v[k]);
  r.residual = std::sqrt(residual / squares);
  r.converged = std::isfinite(r.value);
  return r;
}

}  // namespace

CurvatureEnds curvature_ends(FastKernel& model) {
  const std::size_t size = model.parameters();
  if (size <= dense_limit) {
    const Matrix<double> H = model.hessian();
    return {from_matrix(H, Extreme::smallest), from_matrix(H, Extreme::largest)};
  }
  const LinearOperator hessian{size, [&](const double* x, double* y) {
                                 model.hessian_vector_product({x, size}, {y, size});
                               }};
  return {thick_restart_lanczos(hessian, Extreme::smallest, {.tolerance = 1e-9}),
          thick_restart_lanczos(hessian, Extreme::largest, {.tolerance = 1e-9})};
}

}  // namespace heed::approx
