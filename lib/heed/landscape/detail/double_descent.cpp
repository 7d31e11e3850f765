// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/double_descent.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heed::approx {
namespace {

constexpr double cutoff = 1e-10;     // of an eigenvalue against the largest
constexpr double tiny_step = 1e-10;  // relative to 1 + |theta|
constexpr int halvings = 40;
constexpr double zero_loss = 1e-28;  // against 1 + |Y|^2
constexpr int least_squares_steps = 200;
constexpr int idle_steps = 10;  // of Levenberg and Marquardt, each lowering f by less than 1 %

Eigen::Map<const Eigen::VectorXd> as_eigen(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

double norm(const std::vector<double>& v) { return as_eigen(v).norm(); }

}  // namespace

DoubleLandscape::DoubleLandscape(const LandscapeProblem& problem)
    : inputs_(std::make_shared<const KernelInputs<double>>(problem.instance)),
      kernel_(problem.kernel),
      trained_(problem.trained),
      weights_(weights_as<double>(problem.instance.weights)),
      size_(problem.parameters()),
      residuals_(problem.instance.residuals()) {
  if (size_ == 0) throw std::invalid_argument("landscape: expected at least one trained block");
}

KernelModel<double> DoubleLandscape::at(const std::vector<double>& flat) const {
  return KernelModel<double>(inputs_, kernel_, with_flat(weights_, trained_, flat));
}

NewtonEnd levenberg_marquardt(const DoubleLandscape& landscape, std::vector<double> start,
                              int iterations) {
  const KernelBlocks trained = landscape.trained();
  const auto n = static_cast<Eigen::Index>(landscape.size());
  const auto rows = static_cast<Eigen::Index>(landscape.residuals());
  NewtonEnd end;
  end.point = std::move(start);
  double lambda = 0;
  int idle = 0;
  for (;; ++end.iterations) {
    const KernelModel<double> model = landscape.at(end.point);
    end.loss = model.loss();
    const std::vector<double> g = flatten(model.gradient(trained), trained);
    end.gradient_norm = norm(g);
    double size = 1;
    Eigen::VectorXd r(rows);
    Eigen::Index row = 0;
    for (std::size_t i = 0; i < model.inputs().samples(); ++i) {
      for (const double y : model.inputs().Y[i].entries()) size += y * y;
      for (const double x : model.residuals(i).entries()) r[row++] = x;
    }
    end.converged = end.loss <= zero_loss * size;
    if (end.converged || end.iterations == iterations || idle == idle_steps ||
        !std::isfinite(end.loss) || !std::isfinite(end.gradient_norm))
      return end;
    Eigen::MatrixXd J(rows, n);
    Eigen::Index column = 0;
    for (const KernelBlock block : kernel_blocks) {
      if (!trained.contains(block)) continue;
      const Matrix<double> part = model.jacobian(block);
      const auto cols = static_cast<Eigen::Index>(part.cols());
      J.middleCols(column, cols) =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              part.data(), rows, cols);
      column += cols;
    }
    const Eigen::MatrixXd G = J * J.transpose();
    if (lambda == 0) lambda = 1e-3 * G.trace() / static_cast<double>(rows);
    bool falls = false;
    for (int k = 0; k < halvings && !falls; ++k) {
      Eigen::MatrixXd damped = G;
      damped.diagonal().array() += lambda;
      const Eigen::VectorXd step = -J.transpose() * damped.ldlt().solve(r);
      std::vector<double> next = end.point;
      for (Eigen::Index j = 0; j < n; ++j) next[static_cast<std::size_t>(j)] += step[j];
      const double there = landscape.loss(next);
      falls = there < end.loss;
      lambda *= falls ? 0.25 : 4;
      if (!falls) continue;
      idle = there > 0.99 * end.loss ? idle + 1 : 0;
      end.point = std::move(next);
    }
    if (!falls) return end;
  }
}

NewtonEnd damped_newton(const DoubleLandscape& landscape, std::vector<double> start, NewtonAim aim,
                        int iterations) {
  const KernelBlocks trained = landscape.trained();
  const auto n = static_cast<Eigen::Index>(landscape.size());
  const bool descend = aim != NewtonAim::any_index;
  NewtonEnd end;
  end.point = std::move(start);
  if (aim == NewtonAim::zero && landscape.size() > landscape.residuals()) {
    NewtonEnd fitted = levenberg_marquardt(landscape, end.point, least_squares_steps);
    if (fitted.converged) {
      fitted.iterations = 0;
      return fitted;
    }
    if (std::isfinite(fitted.loss)) end.point = std::move(fitted.point);
  }
  for (int it = 0;; ++it) {
    end.iterations = it;
    const KernelModel<double> model = landscape.at(end.point);
    const std::vector<double> g = flatten(model.gradient(trained), trained);
    end.loss = model.loss();
    end.gradient_norm = norm(g);
    if (it == iterations || !std::isfinite(end.loss) || !std::isfinite(end.gradient_norm))
      return end;
    const Matrix<double> H = model.hessian(trained);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        Eigen::Map<const Eigen::MatrixXd>(H.data(), n, n));
    if (solver.info() != Eigen::Success) return end;
    const Eigen::VectorXd& values = solver.eigenvalues();
    const double largest = values.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return end;
    const Eigen::VectorXd slope = solver.eigenvectors().transpose() * as_eigen(g);
    Eigen::VectorXd along = Eigen::VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k)
      if (std::fabs(values[k]) > cutoff * largest)
        along[k] = -slope[k] / (descend ? std::fabs(values[k]) : values[k]);
    Eigen::VectorXd step = solver.eigenvectors() * along;
    const double size = 1 + norm(end.point);
    end.converged = step.norm() <= tiny_step * size;
    if (step.norm() > size) step *= size / step.norm();
    // Half the step until the merit falls; near a solution rounding hides that and the step is taken.
    double factor = 1;
    std::vector<double> next;
    bool falls = false;
    for (int k = 0; k < halvings && !falls; ++k, factor /= 2) {
      next = end.point;
      for (Eigen::Index j = 0; j < n; ++j) next[static_cast<std::size_t>(j)] += factor * step[j];
      const KernelModel<double> there = landscape.at(next);
      falls = descend ? there.loss() < end.loss
                      : norm(flatten(there.gradient(trained), trained)) < end.gradient_norm;
    }
    if (!falls || end.converged) return end;
    end.point = std::move(next);
  }
}

}  // namespace heed::approx
