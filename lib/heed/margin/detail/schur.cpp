// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/schur.hpp"

#include <Eigen/Cholesky>

#include "heed/linalg/detail/dense_kernels.hpp"

namespace heed::detail {
namespace {

std::size_t natural(Index i) { return static_cast<std::size_t>(i); }
ConstView view(const MatrixXd& a) {
  return {a.data(), natural(a.rows()), natural(a.cols()), natural(a.rows())};
}
View view(MatrixXd& a, Index row, Index col, Index rows, Index cols) {
  return {a.data() + row + col * a.rows(), natural(rows), natural(cols), natural(a.rows())};
}

}  // namespace

MatrixXd product(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd c = MatrixXd::Zero(a.rows(), b.cols());
  dense_kernels().add_product(view(c, 0, 0, c.rows(), c.cols()), 1, view(a), view(b));
  return c;
}

MatrixXd product_nt(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd c = MatrixXd::Zero(a.rows(), b.rows());
  dense_kernels().add_product_nt(view(c, 0, 0, c.rows(), c.cols()), 1, view(a), view(b));
  return c;
}

MatrixXd product_tn(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd c = MatrixXd::Zero(a.cols(), b.cols());
  dense_kernels().add_product_tn(view(c, 0, 0, c.rows(), c.cols()), 1, view(a), view(b));
  return c;
}

MatrixXd schur_matrix(const RowsOf<double>& rows, const MatrixXd& Y, const MatrixXd& X) {
  const MatrixXd &A = rows.A, &Z = rows.Z;
  const Index m = rows.size(), p = A.rows(), q = Z.rows();
  const MatrixXd YA = product(Y.topLeftCorner(p, p), A), XA = product(X.topLeftCorner(p, p), A);
  const MatrixXd YZ = product_tn(Z, product(Y.bottomRightCorner(q, q), Z));
  const MatrixXd XZ = product_tn(Z, product(X.bottomRightCorner(q, q), Z));
  const MatrixXd YM = product_tn(A, product(Y.topRightCorner(p, q), Z));
  const MatrixXd XM = product_tn(A, product(X.topRightCorner(p, q), Z));
  MatrixXd H = MatrixXd::Zero(m, m), C(p, m);
  const auto query = [&](Index k) { return rows.query_of(k); };
  for (Index begin = 0, end; begin < m; begin = end) {
    const Index i = query(begin);
    for (end = begin; end < m && query(end) == i;) ++end;
    for (Index k = begin; k < m; ++k)
      C.col(k) = XZ(i, query(k)) * YA.col(k) + YZ(i, query(k)) * XA.col(k);
    // Rows from `begin` on against the rows of query i.
    const Index below = m - begin, wide = end - begin;
    dense_kernels().add_product_tn(view(H, begin, begin, below, wide), 1,
                                   {C.data() + begin * p, natural(p), natural(below), natural(p)},
                                   {A.data() + begin * p, natural(p), natural(wide), natural(p)});
    for (Index first = begin, last; first < m; first = last) {
      const Index j = query(first);
      for (last = first; last < m && query(last) == j;) ++last;
      const Index high = last - first;
      for (Index l = begin; l < end; ++l)
        H.col(l).segment(first, high) +=
            XM(l, j) * YM.col(i).segment(first, high) + YM(l, j) * XM.col(i).segment(first, high);
    }
  }
  return H;
}

bool cholesky(MatrixXd& h) {
  constexpr Index panel = 48;
  const Index m = h.rows();
  for (Index k = 0; k < m; k += panel) {
    const Index wide = std::min(panel, m - k), rest = m - k - wide;
    auto corner = h.block(k, k, wide, wide);
    Eigen::LLT<Eigen::Ref<MatrixXd>> llt(corner);
    if (llt.info() != Eigen::Success) return false;
    if (rest == 0) break;
    const View below = view(h, k + wide, k, rest, wide);
    dense_kernels().solve_lower_transposed_right(view(h, k, k, wide, wide), below);
    dense_kernels().add_gram(view(h, k + wide, k + wide, rest, rest), -1, below);
  }
  return h.allFinite();
}

MatrixXd inverse_lower(const MatrixXd& l) {
  MatrixXd x = MatrixXd::Identity(l.rows(), l.rows());
  dense_kernels().solve_lower(view(l), view(x, 0, 0, x.rows(), x.cols()));
  return x;
}

VectorXd cholesky_solve(const MatrixXd& factor, VectorXd x) {
  factor.triangularView<Eigen::Lower>().solveInPlace(x);
  factor.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  return x;
}

}  // namespace heed::detail
