// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/dense_factors.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <optional>

namespace heed::detail {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SymmetricEigen symmetric_eigen(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(a);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

ThinSvd thin_svd(const MatrixXd& a) {
  const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

MatrixXd polar_factor(const MatrixXd& a) {
  const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU() * svd.matrixV().transpose();
}

MatrixXd column_span(const MatrixXd& columns) {
  if (columns.rows() == 1) return MatrixXd::Identity(1, 1);
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  qr.setThreshold(1e-12);
  qr.compute(columns);
  const Eigen::Index rank = std::max<Eigen::Index>(1, qr.rank());
  if (rank == columns.rows()) return MatrixXd::Identity(rank, rank);
  return qr.householderQ() * MatrixXd::Identity(columns.rows(), rank);
}

double pivot_ratio(const MatrixXd& factor) {
  const auto d = factor.diagonal().cwiseAbs();
  return d.minCoeff() / d.maxCoeff();
}

struct LeastNormSolver::Factors {
  std::optional<Eigen::PartialPivLU<MatrixXd>> lu;
  std::optional<Eigen::CompleteOrthogonalDecomposition<MatrixXd>> orthogonal;
};

LeastNormSolver::LeastNormSolver(const MatrixXd& a) {
  auto factors = std::make_shared<Factors>();
  factors->lu.emplace(a);
  if (!(pivot_ratio(factors->lu->matrixLU()) >= 1e-9)) {
    factors->lu.reset();
    factors->orthogonal.emplace();
    factors->orthogonal->setThreshold(1e-9);
    factors->orthogonal->compute(a);
  }
  factors_ = std::move(factors);
}

VectorXd LeastNormSolver::solve(const VectorXd& b) const {
  return factors_->lu ? VectorXd(factors_->lu->solve(b)) : VectorXd(factors_->orthogonal->solve(b));
}

}  // namespace heed::detail
