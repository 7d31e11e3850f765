// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/dense_symmetric.hpp"

#include <utility>

#include "heed/linalg/approx_eigen.hpp"
#include "heed/linalg/ldlt.hpp"
#include "heed/linalg/product.hpp"

namespace heed {
namespace {

class DenseFactorization final : public ShiftedFactorization {
 public:
  explicit DenseFactorization(const Matrix<Ball>& shifted) : ldlt_(shifted) {
    negative = ldlt_.negative();
    error = symmetric_norm_bound(ldlt_.residual(shifted));
  }
  std::vector<Ball> approx_solve(const std::vector<Ball>& b) const override {
    return ldlt_.zero() > 0 ? std::vector<Ball>{} : ldlt_.solve(b);
  }

 private:
  Ldlt<Ball> ldlt_;
};

}  // namespace

DenseSymmetric::DenseSymmetric(Matrix<Ball> a) : a_(std::move(a)) {
  for (std::size_t i = 0; i < a_.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) a_(j, i) = a_(i, j);
}

std::vector<Ball> DenseSymmetric::apply(const std::vector<Ball>& v) const {
  return multiply(a_, v);
}

Ball DenseSymmetric::norm_bound() const { return symmetric_norm_bound(a_); }

std::unique_ptr<ShiftedFactorization> DenseSymmetric::factor_shifted(const Ball& s) const {
  Matrix<Ball> shifted = a_;
  for (std::size_t i = 0; i < size(); ++i) shifted(i, i) -= s;
  return std::make_unique<DenseFactorization>(shifted);
}

std::vector<double> DenseSymmetric::approx_extreme_vector(Extreme end) const {
  return approx::extreme_eigenvector(a_, end);
}

Ball DenseSymmetric::resolution() const { return ldexp(Ball(1), -(3L * working_precision()) / 4); }

Ball symmetric_norm_bound(const Matrix<Ball>& e) {
  Ball largest;
  for (std::size_t i = 0; i < e.rows(); ++i) {
    Ball sum;
    for (std::size_t j = 0; j < e.cols(); ++j) sum += abs(e(i, j));
    largest = max(largest, sum.upper());
  }
  return largest.upper();
}

Ball enclose_lambda_min(const Matrix<Ball>& a, int digits) {
  if (a.rows() == 1) return a(0, 0);
  return enclose_extreme_eigenvalue(DenseSymmetric(a), Extreme::smallest, digits).value;
}

Ball enclose_lambda_max(const Matrix<Ball>& a, int digits) {
  if (a.rows() == 1) return a(0, 0);
  return enclose_extreme_eigenvalue(DenseSymmetric(a), Extreme::largest, digits).value;
}

Ball enclose_spectral_norm(const Matrix<Ball>& a, int digits) {
  return max(abs(enclose_lambda_max(a, digits)), abs(enclose_lambda_min(a, digits)));
}

}  // namespace heed
