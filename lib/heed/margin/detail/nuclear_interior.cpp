// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_interior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "heed/margin/detail/schur.hpp"

namespace heed::detail {
namespace {

constexpr int max_iterations = 80;

struct Direction {
  MatrixXd dY, dS;
  VectorXd dl, dw;
};

class Solver {
 public:
  Solver(const ScaledRows& rows, double start) : rows_(rows) {
    p_ = rows.A.rows();
    N_ = p_ + rows.Z.rows();
    const Index m = rows.size();
    x_.l = VectorXd(m);
    x_.w = VectorXd(m);
    for (Index k = 0; k < m; ++k) {
      x_.l[k] = rows.equality(k) ? 0 : 1;
      x_.w[k] = rows.equality(k) ? 0 : start;
    }
    inequalities_ = static_cast<double>((x_.l.array() > 0).count());
    const MatrixXd M = rows.combine(x_.l);
    const double norm =
        std::sqrt(Eigen::SelfAdjointEigenSolver<MatrixXd>(M * M.transpose(), Eigen::EigenvaluesOnly)
                      .eigenvalues()
                      .maxCoeff());
    x_.l *= std::min(0.5 / norm, 1e8);
    x_.Y = start * MatrixXd::Identity(N_, N_);
    refresh_dual();
  }

  InteriorPoint run(double tolerance, double give_up) {
    measure();
    best_ = x_;
    for (int i = 0; i < max_iterations; ++i) {
      if (merit(x_) <= tolerance || x_.dual > give_up || !iterate()) break;
      measure();
      if (!(std::isfinite(x_.gap) && std::isfinite(x_.infeasibility))) break;
      if (merit(x_) < merit(best_)) best_ = x_;
      if (x_.dual > give_up) return x_;
      if (best_.gap < 1e-6 && merit(x_) > 1e3 * merit(best_)) break;
    }
    return best_;
  }

 private:
  static double merit(const InteriorPoint& x) {
    return std::max(std::fabs(x.gap), x.infeasibility);
  }

  void refresh_dual() {
    const MatrixXd M = rows_.combine(x_.l);
    x_.S = 0.5 * MatrixXd::Identity(N_, N_);
    x_.S.topRightCorner(p_, N_ - p_) = -0.5 * M;
    x_.S.bottomLeftCorner(N_ - p_, p_) = -0.5 * M.transpose();
  }

  void measure() {
    residual_ = rows_.b - rows_.values(x_.Y.topRightCorner(p_, N_ - p_)) + x_.w;
    x_.dual = rows_.b.dot(x_.l);
    x_.gap = (0.5 * x_.Y.trace() - x_.dual) / std::max(1.0, x_.dual);
    x_.infeasibility = residual_.cwiseAbs().maxCoeff() / (1 + rows_.b.maxCoeff());
  }

  Direction solve(double target, const MatrixXd& second, const VectorXd& second_w) const {
    MatrixXd R = target * X_ - x_.Y;
    if (second.size() > 0) R -= product(second, X_);
    const Index q = N_ - p_, m = rows_.size();
    const MatrixXd R12 = 0.5 * (R.topRightCorner(p_, q) + R.bottomLeftCorner(q, p_).transpose());
    VectorXd rhs = residual_ - rows_.values(R12), c = VectorXd::Zero(m);
    for (Index k = 0; k < m; ++k)
      if (!rows_.equality(k)) {
        c[k] = target - x_.w[k] * x_.l[k] - second_w[k];
        rhs[k] += c[k] / x_.l[k];
      }
    Direction d;
    d.dl = cholesky_solve(factor_, rhs);
    d.dS = MatrixXd::Zero(N_, N_);
    const MatrixXd M = rows_.combine(d.dl);
    d.dS.topRightCorner(p_, q) = -0.5 * M;
    d.dS.bottomLeftCorner(q, p_) = -0.5 * M.transpose();
    const MatrixXd dY = R - product(product(x_.Y, d.dS), X_);
    d.dY = 0.5 * (dY + dY.transpose());
    d.dw = VectorXd::Zero(m);
    for (Index k = 0; k < m; ++k)
      if (!rows_.equality(k)) d.dw[k] = (c[k] - x_.w[k] * d.dl[k]) / x_.l[k];
    return d;
  }

  // The largest t with Y + t D >= 0, from a Cholesky factor of Y.
  static double boundary(const Eigen::LLT<MatrixXd>& llt, const MatrixXd& D) {
    MatrixXd t = llt.matrixL().solve(D);
    t = llt.matrixL().solve(t.transpose().eval());
    const double least =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(t, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
    return least < 0 ? -1 / least : 1e10;
  }
  double boundary(const VectorXd& x, const VectorXd& dx) const {
    double t = 1e10;
    for (Index k = 0; k < x.size(); ++k)
      if (!rows_.equality(k) && dx[k] < 0) t = std::min(t, -x[k] / dx[k]);
    return t;
  }

  bool iterate() {
    const Eigen::LLT<MatrixXd> Y(x_.Y), S(x_.S);
    if (Y.info() != Eigen::Success || S.info() != Eigen::Success) return false;
    X_ = S.solve(MatrixXd::Identity(N_, N_));
    factor_ = 0.25 * schur_matrix(rows_, x_.Y, X_);
    for (Index k = 0; k < rows_.size(); ++k)
      factor_(k, k) += rows_.equality(k) ? 1e-15 * factor_(k, k) : x_.w[k] / x_.l[k];
    if (!cholesky(factor_)) return false;
    const double count = static_cast<double>(N_) + inequalities_;
    const double mu = ((x_.Y.cwiseProduct(x_.S)).sum() + x_.w.dot(x_.l)) / count;
    const VectorXd none = VectorXd::Zero(rows_.size());
    Direction d = solve(0, {}, none);
    double tp = std::min({1.0, boundary(Y, d.dY), boundary(x_.w, d.dw)});
    double td = std::min({1.0, boundary(S, d.dS), boundary(x_.l, d.dl)});
    const double mu_affine = ((x_.Y + tp * d.dY).cwiseProduct(x_.S + td * d.dS).sum() +
                              (x_.w + tp * d.dw).dot(x_.l + td * d.dl)) /
                             count;
    double sigma = std::clamp(std::pow(mu_affine / mu, 2), 1e-6, 0.9);
    if (last_step_ < 0.1) sigma = std::max(sigma, 0.3);
    d = solve(sigma * mu, product(d.dY, d.dS), d.dw.cwiseProduct(d.dl));
    if (!d.dY.allFinite() || !d.dl.allFinite()) return false;
    tp = std::min(boundary(Y, d.dY), boundary(x_.w, d.dw));
    td = std::min(boundary(S, d.dS), boundary(x_.l, d.dl));
    const double keep = 0.9 + 0.08 * std::min({1.0, tp, td});
    tp = std::min(1.0, keep * tp);
    td = std::min(1.0, keep * td);
    last_step_ = std::min(tp, td);
    if (last_step_ < 1e-8) return false;
    x_.Y += tp * d.dY;
    x_.w += tp * d.dw;
    x_.l += td * d.dl;
    refresh_dual();
    return true;
  }

  const ScaledRows& rows_;
  Index p_ = 0, N_ = 0;
  double inequalities_ = 0, last_step_ = 1;
  InteriorPoint x_, best_;
  VectorXd residual_;
  MatrixXd X_, factor_;
};

}  // namespace

InteriorPoint interior_point(const ScaledRows& rows, double start, double tolerance,
                             double give_up) {
  return Solver(rows, start).run(tolerance, give_up);
}

}  // namespace heed::detail
