// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_newton.hpp"

#include <cmath>

#include "heed/margin/detail/dense_factors.hpp"
#include "heed/margin/detail/schur.hpp"

namespace heed::detail {
namespace {

Index at(const ScaledRows& rows, Index k) { return rows.query_of(k); }

}  // namespace

NuclearNewton::NuclearNewton(ScaledRows active, const MatrixXd& V, const VectorXd& l)
    : rows_(std::move(active)) {
  const Index p = rows_.A.rows(), q = rows_.Z.rows(), N = p + q, r = V.cols();
  MatrixXd D = MatrixXd::Identity(N, N);
  const MatrixXd M = rows_.combine(l);
  D.topRightCorner(p, q) = -M;
  D.bottomLeftCorner(q, p) = -M.transpose();
  if (!D.allFinite() || !V.allFinite()) {
    finite_ = false;
    return;
  }
  const SymmetricEigen eigen = symmetric_eigen(D);
  least_ = eigen.values[0];
  E_ = eigen.vectors.leftCols(r);
  const MatrixXd rest = eigen.vectors.rightCols(N - r);
  X_ = rest * eigen.values.tail(N - r).cwiseInverse().asDiagonal() * rest.transpose();
  V_ = V * polar_factor(E_.transpose() * V).transpose();

  alpha_ = product_tn(rows_.A, V_.topRows(p));
  const MatrixXd beta = rows_.Z.transpose() * V_.bottomRows(q);
  const MatrixXd Ea = product_tn(rows_.A, E_.topRows(p));
  const MatrixXd Ez = rows_.Z.transpose() * E_.bottomRows(q);
  const Index m = rows_.size();
  beta_.resize(m, r);
  K_.resize(m, r * (r + 1) / 2);
  for (Index k = 0; k < m; ++k) {
    beta_.row(k) = beta.row(at(rows_, k));
    const MatrixXd t =
        Ea.row(k).transpose() * beta_.row(k) + Ez.row(at(rows_, k)).transpose() * alpha_.row(k);
    K_.row(k) = packed(t).transpose();
  }
  theta_.resize(K_.cols());
  for (Index i = 0, c = 0; i < r; ++i)
    for (Index j = i; j < r; ++j) theta_[c++] = 0.5 * (eigen.values[i] + eigen.values[j]);
  H_ = schur_matrix(rows_, V_ * V_.transpose(), X_);
  factor();
}

// Coordinates of the symmetric part in an orthonormal basis of the symmetric matrices.
VectorXd NuclearNewton::packed(const MatrixXd& t) const {
  VectorXd v(t.rows() * (t.rows() + 1) / 2);
  for (Index i = 0, c = 0; i < t.rows(); ++i)
    for (Index j = i; j < t.rows(); ++j)
      v[c++] = i == j ? t(i, i) : (t(i, j) + t(j, i)) * std::sqrt(0.5);
  return v;
}

void NuclearNewton::factor() {
  const Index m = H_.rows(), t = K_.cols();
  finite_ = H_.allFinite() && K_.allFinite();
  if (!finite_) return;
  G_ = H_;
  if (cholesky(G_) && pivot_ratio(G_) > 1e-5) {
    const MatrixXd L = G_.triangularView<Eigen::Lower>().solve(K_);
    T_ = product_tn(L, L);
    T_.diagonal() += theta_;
    if (cholesky(T_) && pivot_ratio(T_) > 1e-5) return;
  }
  G_.resize(0, 0);
  MatrixXd J(m + t, m + t);
  J.topLeftCorner(m, m) = H_.selfadjointView<Eigen::Lower>();
  J.topRightCorner(m, t) = K_;
  J.bottomLeftCorner(t, m) = K_.transpose();
  J.bottomRightCorner(t, t) = (-theta_).asDiagonal();
  solver_.emplace(J);
}

VectorXd NuclearNewton::solve(const VectorXd& f, const VectorXd& g) const {
  VectorXd x(f.size() + g.size());
  if (G_.size() > 0) {
    const VectorXd y = cholesky_solve(G_, f);
    const VectorXd t = cholesky_solve(T_, K_.transpose() * y - g);
    x << y - cholesky_solve(G_, K_ * t), t;
    return x;
  }
  x << f, g;
  return solver_->solve(x);
}

NuclearNewton::Step NuclearNewton::step(const MatrixXd& R, const VectorXd& c) const {
  const Index p = rows_.A.rows(), q = rows_.Z.rows(), m = rows_.size(), r = V_.cols();
  const MatrixXd XR = X_ * R;
  VectorXd f = c;
  const MatrixXd aY = rows_.A.transpose() * XR.topRows(p);
  const MatrixXd zY = rows_.Z.transpose() * XR.bottomRows(q);
  for (Index k = 0; k < m; ++k)
    f[k] += aY.row(k).dot(beta_.row(k)) + zY.row(at(rows_, k)).dot(alpha_.row(k));
  const VectorXd x = solve(f, packed(E_.transpose() * R));
  Step s;
  s.dl = x.head(m);
  MatrixXd T(r, r);
  for (Index i = 0, k = m; i < r; ++i)
    for (Index j = i; j < r; ++j, ++k) T(i, j) = T(j, i) = i == j ? x[k] : x[k] * std::sqrt(0.5);
  const MatrixXd dM = rows_.combine(s.dl);
  MatrixXd Y = -R;
  Y.topRows(p) += dM * V_.bottomRows(q);
  Y.bottomRows(q) += dM.transpose() * V_.topRows(p);
  s.dV = E_ * T + X_ * Y;
  return s;
}

MatrixXd NuclearNewton::residual(const ScaledRows& rows, const MatrixXd& V, const VectorXd& l) {
  const Index p = rows.A.rows(), q = rows.Z.rows();
  const MatrixXd M = rows.combine(l);
  MatrixXd R = V;
  R.topRows(p) -= M * V.bottomRows(q);
  R.bottomRows(q) -= M.transpose() * V.topRows(p);
  return R;
}

VectorXd NuclearNewton::row_residual(const ScaledRows& rows, const MatrixXd& V) {
  const Index p = rows.A.rows(), q = rows.Z.rows();
  return rows.b - rows.values(V.topRows(p) * V.bottomRows(q).transpose());
}

}  // namespace heed::detail
