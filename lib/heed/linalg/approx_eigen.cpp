// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/approx_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>

namespace heed::approx {
namespace {

using Vector = Eigen::VectorXd;

/// A / norm + shift I in the interface that Spectra expects.
class ScaledOperator {
 public:
  using Scalar = double;
  ScaledOperator(const LinearOperator& a, double norm, double shift)
      : a_(a), norm_(norm), shift_(shift) {}
  Eigen::Index rows() const { return static_cast<Eigen::Index>(a_.size); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* x, double* y) const {
    a_.apply(x, y);
    for (std::size_t k = 0; k < a_.size; ++k) y[k] = y[k] / norm_ + shift_ * x[k];
  }

 private:
  const LinearOperator& a_;
  double norm_, shift_;
};

Vector start_vector(std::size_t n) {
  Vector v(static_cast<Eigen::Index>(n));
  // A fixed quasi-random sequence: no structure in common with the operator, and reproducible.
  for (std::size_t k = 0; k < n; ++k)
    v[static_cast<Eigen::Index>(k)] =
        std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0) - 0.5 + 1.0 / 1024;
  return v.normalized();
}

double norm_estimate(const LinearOperator& a) {
  Vector v = start_vector(a.size), w(v.size());
  double norm = 0;
  for (int k = 0; k < 12; ++k) {
    a.apply(v.data(), w.data());
    const double next = w.stableNorm();
    if (!(next > 0) || !std::isfinite(next)) break;
    norm = std::max(norm, next);
    v = w / next;
  }
  return norm;
}

}  // namespace

std::vector<double> extreme_eigenvector(const Matrix<double>& a, Extreme end) {
  const auto n = static_cast<Eigen::Index>(a.rows());
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> m(a.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
  Vector v = solver.eigenvectors().col(end == Extreme::smallest ? 0 : n - 1);
  if (!v.allFinite() || v.squaredNorm() == 0) v = start_vector(a.rows());
  return {v.data(), v.data() + n};
}

std::vector<double> extreme_eigenvector(const Matrix<Ball>& a, Extreme end) {
  // Not by a power of two: exponents of balls may exceed any machine integer.
  const auto largest =
      std::max_element(a.entries().begin(), a.entries().end(),
                       [](const Ball& x, const Ball& y) { return abs_less(x, y); });
  const Ball unit = abs(largest->midpoint());
  const bool usable = unit.is_finite() && !unit.contains_zero();
  return extreme_eigenvector(
      map(a, [&](const Ball& x) { return usable ? to_double(x / unit) : 0.0; }), end);
}

LanczosResult lanczos_extreme(const LinearOperator& a, Extreme end) {
  LanczosResult result;
  const double norm = norm_estimate(a);
  Vector v = start_vector(a.size);
  if (a.size > 1 && norm > 0 && std::isfinite(norm)) {
    ScaledOperator op(a, norm, end == Extreme::smallest ? -1.5 : 1.5);
    const auto n = static_cast<Eigen::Index>(a.size);
    const Eigen::Index basis = std::min<Eigen::Index>(n, 80);
    Spectra::SymEigsSolver<ScaledOperator> solver(op, 1, basis);
    solver.init(v.data());
    const auto rule =
        end == Extreme::smallest ? Spectra::SortRule::SmallestAlge : Spectra::SortRule::LargestAlge;
    const auto found = solver.compute(rule, 60, 1e-12);
    result.converged = found == 1 && solver.info() == Spectra::CompInfo::Successful;
    if (found >= 1) v = solver.eigenvectors(1).col(0);
  }
  Vector av(v.size());
  a.apply(v.data(), av.data());
  result.value = v.dot(av) / v.squaredNorm();
  result.residual = (av - result.value * v).stableNorm() / v.norm();
  result.vector.assign(v.data(), v.data() + v.size());
  return result;
}

}  // namespace heed::approx
