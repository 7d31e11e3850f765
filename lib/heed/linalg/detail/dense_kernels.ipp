// SPDX-License-Identifier: Apache-2.0
// The kernels of dense_kernels.hpp, compiled once for each instruction set by the files that include
// this one with HEED_ISA defined.
#include <Eigen/Core>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/numeric/no_fast_math.hpp"

namespace heed::detail {
namespace {

using Dense = Eigen::MatrixXd;
using Stride = Eigen::OuterStride<>;

Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }
Eigen::Map<const Dense, 0, Stride> map(const ConstView& a) {
  return {a.data, index(a.rows), index(a.cols), Stride(index(a.stride))};
}
Eigen::Map<Dense, 0, Stride> map(const View& a) {
  return {a.data, index(a.rows), index(a.cols), Stride(index(a.stride))};
}
bool empty(const ConstView& a) { return a.rows == 0 || a.cols == 0; }

void add_product(View c, double alpha, ConstView a, ConstView b) {
  if (!empty(c) && a.cols > 0) map(c).noalias() += alpha * map(a) * map(b);
}
void add_product_nt(View c, double alpha, ConstView a, ConstView b) {
  if (!empty(c) && a.cols > 0) map(c).noalias() += alpha * map(a) * map(b).transpose();
}
void add_product_tn(View c, double alpha, ConstView a, ConstView b) {
  if (!empty(c) && a.rows > 0) map(c).noalias() += alpha * map(a).transpose() * map(b);
}
void add_gram(View c, double alpha, ConstView a) {
  if (!empty(c) && a.cols > 0) map(c).selfadjointView<Eigen::Lower>().rankUpdate(map(a), alpha);
}
void solve_lower(ConstView l, View b) {
  if (!empty(b)) map(l).triangularView<Eigen::Lower>().solveInPlace(map(b));
}
void solve_lower_transposed_right(ConstView l, View b) {
  if (empty(b)) return;
  auto x = map(b);
  map(l).transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(x);
}
void add_matrix_vector(double* y, ConstView a, const double* x) {
  if (empty(a)) return;
  Eigen::Map<Eigen::VectorXd>(y, index(a.rows)).noalias() +=
      map(a) * Eigen::Map<const Eigen::VectorXd>(x, index(a.cols));
}
void add_transposed_matrix_vector(double* y, ConstView a, const double* x) {
  if (empty(a)) return;
  Eigen::Map<Eigen::VectorXd>(y, index(a.cols)).noalias() +=
      map(a).transpose() * Eigen::Map<const Eigen::VectorXd>(x, index(a.rows));
}

constexpr DenseKernels table{HEED_ISA,
                             add_product,
                             add_product_nt,
                             add_product_tn,
                             add_gram,
                             solve_lower,
                             solve_lower_transposed_right,
                             add_matrix_vector,
                             add_transposed_matrix_vector};

}  // namespace
}  // namespace heed::detail
