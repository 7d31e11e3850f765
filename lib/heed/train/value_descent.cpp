// SPDX-License-Identifier: Apache-2.0
#include "heed/train/value_descent.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace heed::approx {

ValueDescent::ValueDescent(const KernelModel<double>& model) {
  const Matrix<double> gram = model.jacobian_gram(KernelBlock::value);
  const auto size = static_cast<Eigen::Index>(gram.rows());
  Eigen::MatrixXd dense(size, size);
  Eigen::VectorXd residual(size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      dense(i, j) = gram(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < model.inputs().samples(); ++i)
    for (const double r : model.residuals(i).entries()) residual(next++) = r;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense);
  const Eigen::VectorXd along = solver.eigenvectors().transpose() * residual;
  for (Eigen::Index k = 0; k < size; ++k) {
    eigenvalues_.push_back(solver.eigenvalues()(k));
    weights_.push_back(along(k) * along(k));
  }
}

double ValueDescent::loss(double steps) const {
  double sum = 0;
  for (std::size_t k = 0; k < weights_.size(); ++k)
    sum += weights_[k] * std::pow(1 - eigenvalues_[k] / largest(), 2 * steps);
  return sum / 2;
}

double ValueDescent::steps_to(double share) const {
  const double aim = share * loss(0);
  double low = 0, high = 1;
  while (loss(high) > aim && high < 0x1p60) high *= 2;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (loss(middle) > aim ? low : high) = middle;
  }
  return high;
}

}  // namespace heed::approx
