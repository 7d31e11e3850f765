// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "heed/margin/detail/nuclear_interior.hpp"
#include "heed/margin/detail/schur.hpp"

namespace heed::detail {

/// A lower bound, up to rounding, of the least eigenvalue to about four digits, by bisection with
/// Sturm sequences of the tridiagonal form. Much cheaper than all eigenvalues.
double least_eigenvalue_bound(const MatrixXd& symmetric);

template <class T>
class InteriorSolver {
 public:
  using MatrixT = typename RowsOf<T>::MatrixT;
  using VectorT = typename RowsOf<T>::VectorT;
  using Point = InteriorPointOf<T>;

  InteriorSolver(const RowsOf<T>& rows, double start) : rows_(rows) {
    p_ = rows.A.rows();
    N_ = p_ + rows.Z.rows();
    const Index m = rows.size();
    x_.l = VectorT(m);
    x_.w = VectorT(m);
    for (Index k = 0; k < m; ++k) {
      x_.l[k] = rows.equality(k) ? 0 : 1;
      x_.w[k] = rows.equality(k) ? 0 : start;
      if (!rows.equality(k)) ++inequalities_;
    }
    const MatrixT M = rows.combine(x_.l);
    // ||M||_2^2 <= ||M^T M||_F, at most a factor N^(1/4) too large.
    const double norm = std::sqrt(static_cast<double>((M.transpose() * M).norm()));
    x_.l *= T(norm > 0.5e-8 ? 0.5 / norm : 1e8);
    x_.Y = T(start) * MatrixT::Identity(N_, N_);
    refresh_dual();
  }

  Point run(double tolerance, double give_up) {
    measure();
    best_ = x_;
    for (int i = 0; i < max_iterations; ++i) {
      if (merit(x_) <= tolerance || x_.dual > give_up || !iterate()) break;
      measure();
      if (!(std::isfinite(x_.gap) && std::isfinite(x_.infeasibility))) break;
      if (merit(x_) < merit(best_)) best_ = x_;
      if (x_.dual > give_up) return x_;
      if (merit(best_) < 1e-6 && merit(x_) > 1e3 * merit(best_)) break;
    }
    return best_;
  }

 private:
  static constexpr bool is_double = std::is_same_v<T, double>;
  static constexpr int max_iterations = is_double ? 80 : 400;

  struct Direction {
    MatrixT dY, dS;
    VectorT dl, dw;
  };

  static double merit(const Point& x) { return std::max(std::fabs(x.gap), x.infeasibility); }

  MatrixT dual_block(const MatrixT& M) const {
    MatrixT s = MatrixT::Zero(N_, N_);
    s.topRightCorner(p_, N_ - p_) = T(-0.5) * M;
    s.bottomLeftCorner(N_ - p_, p_) = T(-0.5) * M.transpose();
    return s;
  }

  void refresh_dual() {
    x_.S = dual_block(rows_.combine(x_.l));
    x_.S.diagonal().setConstant(T(0.5));
  }

  void measure() {
    residual_ = rows_.b - rows_.values(x_.Y.topRightCorner(p_, N_ - p_)) + x_.w;
    const T dual = rows_.b.dot(x_.l);
    x_.dual = static_cast<double>(dual);
    const double primal = static_cast<double>(T(T(0.5) * x_.Y.trace()));
    x_.gap = static_cast<double>(T(T(0.5) * x_.Y.trace() - dual)) /
             std::max({x_.dual, 0.01 * primal, 1e-100});
    x_.infeasibility = static_cast<double>(T(residual_.cwiseAbs().maxCoeff() / rows_.b.maxCoeff()));
  }

  VectorT solve_schur(const VectorT& rhs) const {
    if constexpr (is_double) {
      return cholesky_solve(factor_, rhs);
    } else {
      return llt_.solve(rhs);
    }
  }

  Direction solve(const T& target, const MatrixT& second, const VectorT& second_w) const {
    MatrixT R = target * X_ - x_.Y;
    if (second.size() > 0) R -= product(second, X_);
    const Index q = N_ - p_, m = rows_.size();
    const MatrixT R12 = T(0.5) * (R.topRightCorner(p_, q) + R.bottomLeftCorner(q, p_).transpose());
    VectorT rhs = residual_ - rows_.values(R12), c = VectorT::Zero(m);
    for (Index k = 0; k < m; ++k)
      if (!rows_.equality(k)) {
        c[k] = target - x_.w[k] * x_.l[k] - second_w[k];
        rhs[k] += c[k] / x_.l[k];
      }
    Direction d;
    d.dl = solve_schur(rhs);
    d.dS = dual_block(rows_.combine(d.dl));
    const MatrixT dY = R - product(product(x_.Y, d.dS), X_);
    d.dY = T(0.5) * (dY + dY.transpose());
    d.dw = VectorT::Zero(m);
    for (Index k = 0; k < m; ++k)
      if (!rows_.equality(k)) d.dw[k] = (c[k] - x_.w[k] * d.dl[k]) / x_.l[k];
    return d;
  }

  // The largest t with x + t d >= 0 (in double; otherwise some t near it, at most 1.03), from the
  // inverse of the Cholesky factor of x (in double).
  static T boundary(const MatrixT& inverse, const MatrixT& x, const MatrixT& d) {
    if constexpr (is_double) {
      const double least = least_eigenvalue_bound(product_nt(product(inverse, d), inverse));
      return least < 0 ? -1 / least : 1e10;
    } else {
      T t(1.03);
      while (t > T(1e-9) && Eigen::LLT<MatrixT>(x + t * d).info() != Eigen::Success) t *= T(0.93);
      return t;
    }
  }
  T boundary(const VectorT& x, const VectorT& dx) const {
    T t(1e10);
    for (Index k = 0; k < x.size(); ++k)
      if (!rows_.equality(k) && dx[k] < 0) t = least(t, T(-x[k] / dx[k]));
    return t;
  }
  static T least(const T& a, const T& b) { return b < a ? b : a; }

  bool factor() {
    MatrixT H = T(0.25) * schur_matrix(rows_, x_.Y, X_);
    // Dependent equalities: their multipliers are kept from growing.
    for (Index k = 0; k < rows_.size(); ++k)
      H(k, k) += rows_.equality(k) ? T(H(k, k) * T(8 * std::numeric_limits<T>::epsilon()))
                                   : T(x_.w[k] / x_.l[k]);
    if constexpr (is_double) {
      factor_ = std::move(H);
      return cholesky(factor_);
    } else {
      llt_.compute(H);
      return llt_.info() == Eigen::Success;
    }
  }

  bool iterate() {
    const Eigen::LLT<MatrixT> Y(x_.Y), S(x_.S);
    if (Y.info() != Eigen::Success || S.info() != Eigen::Success) return false;
    MatrixT Yi, Si;  // inverses of the Cholesky factors
    if constexpr (is_double) {
      Yi = inverse_lower(Y.matrixLLT());
      Si = inverse_lower(S.matrixLLT());
      X_ = product_tn(Si, Si);
    } else {
      X_ = S.solve(MatrixT::Identity(N_, N_));
    }
    if (!factor()) return false;
    const T count = static_cast<double>(N_ + inequalities_);
    const T mu = (x_.Y.cwiseProduct(x_.S).sum() + x_.w.dot(x_.l)) / count;
    Direction d = solve(T(0), {}, VectorT::Zero(rows_.size()));
    T tp = least(T(1), least(boundary(Yi, x_.Y, d.dY), boundary(x_.w, d.dw)));
    T td = least(T(1), least(boundary(Si, x_.S, d.dS), boundary(x_.l, d.dl)));
    const T affine = ((x_.Y + tp * d.dY).cwiseProduct(x_.S + td * d.dS).sum() +
                      (x_.w + tp * d.dw).dot(x_.l + td * d.dl)) /
                     count;
    const double ratio = static_cast<double>(T(affine / mu));
    double sigma = std::clamp(ratio * ratio, 1e-6, 0.9);
    if (last_step_ < 0.1) sigma = std::max(sigma, 0.3);
    d = solve(T(sigma) * mu, product(d.dY, d.dS), d.dw.cwiseProduct(d.dl));
    if constexpr (is_double)
      if (!d.dY.allFinite() || !d.dl.allFinite()) return false;
    tp = least(boundary(Yi, x_.Y, d.dY), boundary(x_.w, d.dw));
    td = least(boundary(Si, x_.S, d.dS), boundary(x_.l, d.dl));
    const T keep = T(0.9) + T(0.08) * least(T(1), least(tp, td));
    tp = least(T(1), keep * tp);
    td = least(T(1), keep * td);
    last_step_ = static_cast<double>(least(tp, td));
    if (!(last_step_ > 1e-8)) return false;
    x_.Y += tp * d.dY;
    x_.w += tp * d.dw;
    x_.l += td * d.dl;
    refresh_dual();
    return true;
  }

  const RowsOf<T>& rows_;
  Index p_ = 0, N_ = 0, inequalities_ = 0;
  double last_step_ = 1;
  Point x_, best_;
  VectorT residual_;
  MatrixT X_, factor_;
  Eigen::LLT<MatrixT> llt_;
};

template <class T>
InteriorPointOf<T> interior_point(const RowsOf<T>& rows, double start, double tolerance,
                                  double give_up) {
  return InteriorSolver<T>(rows, start).run(tolerance, give_up);
}

}  // namespace heed::detail
