// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/block_saddle_approx.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <memory>

#include "heed/numeric/scalar.hpp"

namespace heed::approx {
namespace {

using RowMajor = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

struct DoubleSaddle {
  std::vector<RowMajor> M, K;
  RowMajor J;
};

RowMajor to_eigen(const Matrix<Ball>& a, long exponent) {
  RowMajor m(static_cast<Eigen::Index>(a.rows()), static_cast<Eigen::Index>(a.cols()));
  for (std::size_t k = 0; k < a.size(); ++k) m.data()[k] = to_double(ldexp(a.data()[k], exponent));
  return m;
}

long largest_exponent(const Matrix<Ball>& a) {
  long e = exponent(Ball(0));
  for (const Ball& x : a.entries()) e = std::max(e, exponent(x));
  return e;
}

}  // namespace

LinearOperator scaled_operator(const std::vector<SaddleBlock<Ball>>& blocks,
                               const Matrix<Ball>& J) {
  long e = 2 * largest_exponent(J);
  std::size_t size = 0;
  for (const SaddleBlock<Ball>& b : blocks) {
    e = std::max({e, largest_exponent(b.M), largest_exponent(b.K)});
    size += b.size();
  }
  e += e % 2 != 0 ? 1 : 0;
  auto a = std::make_shared<DoubleSaddle>();
  for (const SaddleBlock<Ball>& b : blocks) {
    a->M.push_back(to_eigen(b.M, -e));
    a->K.push_back(to_eigen(b.K, -e));
  }
  a->J = to_eigen(J, -e / 2);
  return {size, [a, size](const double* x, double* y) {
            Eigen::Index at = 0;
            for (std::size_t h = 0; h < a->M.size(); ++h) {
              const RowMajor& M = a->M[h];
              const Eigen::Index u = M.rows(), w = M.cols();
              const Eigen::Map<const Eigen::VectorXd> xu(x + at, u), xw(x + at + u, w);
              Eigen::Map<Eigen::VectorXd>(y + at, u).noalias() = M * xw;
              Eigen::Map<Eigen::VectorXd> yw(y + at + u, w);
              yw.noalias() = a->K[h] * xw;
              yw.noalias() += M.transpose() * xu;
              at += u + w;
            }
            if (a->J.rows() == 0) return;
            const Eigen::Map<const Eigen::VectorXd> xs(x, static_cast<Eigen::Index>(size));
            Eigen::Map<Eigen::VectorXd> ys(y, static_cast<Eigen::Index>(size));
            const Eigen::VectorXd jx = a->J * xs;
            ys.noalias() += a->J.transpose() * jx;
          }};
}

}  // namespace heed::approx
