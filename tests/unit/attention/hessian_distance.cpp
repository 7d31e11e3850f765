// SPDX-License-Identifier: Apache-2.0
#include "unit/attention/hessian_distance.hpp"

#include "heed/linalg/product.hpp"

namespace heed::test {

using approx::to_double;

HessianDistance hessian_distance(const PointSaddle& a, const MhaModel<Ball>& exact) {
  const auto blocks = exact.loss_blocks();
  const Ball unit = ldexp(Ball(1), a.exponent());
  HessianDistance result;
  result.bound = to_double(Ball(a.perturbation()) * unit);
  result.norm = to_double(Ball(a.norm_bound()) * unit);
  Ball of_blocks(0);
  for (std::size_t h = 0; h < blocks.size(); ++h) {
    Ball sum(0);
    for (std::size_t k = 0; k < blocks[h].M.size(); ++k)
      sum += ldexp(square(blocks[h].M.data()[k] - unit * Ball(a.blocks()[h].M.data()[k])), 1);
    for (std::size_t j = 0; j < blocks[h].K.rows(); ++j)
      for (std::size_t k = 0; k <= j; ++k)
        sum +=
            ldexp(square(blocks[h].K(j, k) - unit * Ball(a.blocks()[h].K(j, k))), j == k ? 0 : 1);
    of_blocks = max(of_blocks, sum);
  }
  // J of both, by the products J^T J: rows of equal samples are added up in one of them.
  const auto gram = [](const Matrix<Ball>& j, std::size_t p, std::size_t q) {
    return dot(j.rows(), j.data() + p, j.cols(), j.data() + q, j.cols());
  };
  const Matrix<Ball> J = exact.weighted_gradients();
  // The stored J is scaled by the root of 2^-exponent.
  const Matrix<Ball> found = map(a.J(), [&](double x) { return sqrt(unit) * Ball(x); });
  Ball sum(0);
  for (std::size_t p = 0; p < J.cols(); ++p)
    for (std::size_t q = 0; q <= p; ++q)
      sum += ldexp(square(gram(J, p, q) - gram(found, p, q)), p == q ? 0 : 1);
  result.found = to_double(sqrt(of_blocks)) + to_double(sqrt(sum));
  return result;
}

}  // namespace heed::test
