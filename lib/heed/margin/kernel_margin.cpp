// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/kernel_margin.hpp"

#include <stdexcept>
#include <utility>

#include "heed/linalg/product.hpp"
#include "heed/margin/detail/simplex_point.hpp"

namespace heed {

KernelMargin kernel_margin_at(const Matrix<Ball>& Q, std::vector<Rational> alpha) {
  Rational sum;
  KernelMargin margin;
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    if (alpha[k].sign() < 0) throw std::invalid_argument("kernel_margin_at: alpha is negative");
    if (alpha[k].sign() > 0) margin.support.push_back(k);
    sum += alpha[k];
  }
  if (alpha.size() != Q.rows() || !(sum == Rational(1)))
    throw std::invalid_argument("kernel_margin_at: alpha is not a point of the simplex");
  std::vector<Ball> a;
  for (const Rational& x : alpha) a.emplace_back(x);
  const std::vector<Ball> Qa = multiply(Q, a);
  margin.alpha = std::move(alpha);
  margin.upper = sqrt_nonnegative(dot(a, Qa)).upper();
  Ball least = Qa.front().lower();
  for (const Ball& x : Qa) least = min(least, x.lower()).lower();
  // A negative value divided by the larger N would move up.
  if (certainly(positive(least)) && certainly(positive(margin.upper)))
    margin.lower = (least / margin.upper).lower();
  return margin;
}

KernelMargin kernel_margin(const Matrix<Ball>& Q) {
  return kernel_margin_at(Q, detail::simplex_point(Q));
}

}  // namespace heed
