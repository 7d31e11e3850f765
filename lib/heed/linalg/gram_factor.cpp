// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/gram_factor.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "heed/linalg/detail/rounding_bounds.hpp"

namespace heed {

std::optional<GramFactor> gram_factor(const Matrix<double>& gram, double error) {
  using detail::Upper;
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::size_t m = gram.rows();
  const auto order = static_cast<Eigen::Index>(m);
  const Eigen::Map<const Dense> g(gram.data(), order, order);
  Upper trace;
  for (std::size_t k = 0; k < m; ++k) trace = trace + Upper(std::fabs(gram(k, k)));
  // Half of the excess is added before, the other half pays for every error.
  const Upper shift = Upper(2) * (Upper(error) + detail::gamma(4 * m + 16) * trace) +
                      detail::underflow(m * m) + Upper(0x1p-1000);
  if (!shift.is_finite()) return std::nullopt;
  Dense shifted = g;
  shifted.diagonal().array() += shift.value();
  const Eigen::LLT<Dense> llt(shifted);
  if (llt.info() != Eigen::Success) return std::nullopt;
  const Dense L = llt.matrixL();
  Dense residual = L * L.transpose();
  residual -= shifted;
  const Upper size_l = detail::norm_bound(L.data(), m * m);
  const Upper rounding =
      detail::gamma(m + 8) * (size_l * size_l + trace + Upper(static_cast<double>(m)) * shift) +
      detail::underflow(m * m + 8);
  const Upper off = detail::norm_bound(residual.data(), m * m) + rounding + Upper(error);
  if (!(off.value() <= shift.value())) return std::nullopt;
  GramFactor f{Matrix<double>(m, m), (Upper(2) * shift).value()};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      f.L(i, j) = L(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  return f;
}

}  // namespace heed
