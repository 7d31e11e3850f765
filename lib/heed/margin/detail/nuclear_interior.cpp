// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_interior.ipp"

#include <Eigen/Eigenvalues>

namespace heed::detail {

double least_eigenvalue_bound(const MatrixXd& symmetric) {
  const Index n = symmetric.rows();
  if (n == 1) return symmetric(0, 0);
  const Eigen::Tridiagonalization<MatrixXd> form(symmetric);
  const VectorXd d = form.diagonal(), e = form.subDiagonal();
  double low = d[0] - std::fabs(e[0]), high = d.minCoeff();
  for (Index i = 1; i < n; ++i)
    low = std::min(low, d[i] - std::fabs(e[i - 1]) - (i < n - 1 ? std::fabs(e[i]) : 0));
  // All pivots of the form minus x are positive.
  const auto below_spectrum = [&](double x) {
    double pivot = d[0] - x;
    for (Index i = 1; pivot > 0 && i < n; ++i) pivot = d[i] - x - e[i - 1] * e[i - 1] / pivot;
    return pivot > 0;
  };
  const double resolution = 1e-7 * (high - low);
  while (high - low > std::max(resolution, 1e-4 * std::fabs(low))) {
    const double middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) break;
    (below_spectrum(middle) ? low : high) = middle;
  }
  return low;
}

template InteriorPointOf<double> interior_point(const RowsOf<double>&, double, double, double);

}  // namespace heed::detail
