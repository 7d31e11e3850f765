// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>

namespace heed::detail {

FrobeniusCrash frobenius_crash(const ScaledRows& rows) {
  const Index m = rows.size(), n = rows.Z.cols();
  const MatrixXd ZZ = rows.Z.transpose() * rows.Z;
  MatrixXd U = MatrixXd::Zero(rows.A.rows(), n);  // W Z
  VectorXd l = VectorXd::Zero(m);
  for (int round = 0; round < 40; ++round) {
    double change = 0;
    for (Index k = 0; k < m; ++k) {
      const Index i = rows.query_of(k);
      const double square = rows.A.col(k).squaredNorm() * ZZ(i, i);
      double next = l[k] + (rows.b[k] - rows.A.col(k).dot(U.col(i))) / square;
      if (!rows.equality(k)) next = std::max(0.0, next);
      const double step = next - l[k];
      if (step == 0) continue;
      change = std::max(change, std::fabs(step) * square / std::max(rows.b[k], 1e-300));
      l[k] = next;
      U.noalias() += (step * rows.A.col(k)) * ZZ.col(i).transpose();
    }
    if (change < 1e-6) break;
  }
  FrobeniusCrash crash;
  crash.W = rows.combine(l);
  crash.lower_bound = rows.b.dot(l) / crash.W.norm();
  if (!(std::isfinite(crash.lower_bound) && crash.lower_bound > 0)) crash.lower_bound = 1;
  crash.support = (l.array() > 0).count();
  return crash;
}

}  // namespace heed::detail
