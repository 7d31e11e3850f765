// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed::approx {

/// The loss as a function of the trained coordinates in double, for candidates.
class DoubleLandscape {
 public:
  explicit DoubleLandscape(const LandscapeProblem& problem);

  KernelModel<double> at(const std::vector<double>& flat) const;
  double loss(const std::vector<double>& flat) const { return at(flat).loss(); }
  std::size_t size() const { return size_; }
  std::size_t residuals() const { return residuals_; }
  KernelBlocks trained() const { return trained_; }

 private:
  std::shared_ptr<const KernelInputs<double>> inputs_;
  AttentionKernel kernel_;
  KernelBlocks trained_;
  KernelWeights<double> weights_;
  std::size_t size_, residuals_;
};

enum class NewtonAim { minimum, any_index, zero };

struct NewtonEnd {
  std::vector<double> point;
  double loss = 0, gradient_norm = 0;
  bool converged = false;  ///< the last Newton step was tiny, or the loss is 0 but for rounding
  int iterations = 0;      ///< steps; of damped_newton those with a Hessian only
};

/// Levenberg and Marquardt: steps -J^T (J J^T + lambda I)^{-1} r while they make f fall, lambda by
/// success; for more coordinates than residuals. `converged`: f is 0 but for rounding. Ends early
/// where f hardly falls any more, which says nothing of the point.
NewtonEnd levenberg_marquardt(const DoubleLandscape& landscape, std::vector<double> start,
                              int iterations);

/// Damped Newton iteration with the eigenvectors of the Hessian. minimum: along each of them against
/// the gradient, by |eigenvalue|, with f decreasing; zero: the same after levenberg_marquardt, where that applies; any_index: the plain Newton step, with |grad f|
/// decreasing. Directions of eigenvalues below 1e-10 of the largest are left out.
NewtonEnd damped_newton(const DoubleLandscape& landscape, std::vector<double> start, NewtonAim aim,
                        int iterations);

}  // namespace heed::approx
