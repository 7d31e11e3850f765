// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/numeric/double_ball.hpp"

namespace heed {

/// Spectral norms of one head on one sample.
struct HeadNorms {
  std::vector<DoubleBall> c;  ///< per t: lambda_max(C_t)
  std::vector<DoubleBall> k;  ///< per t: ||K_t||
  DoubleBall hessian;         ///< ||hess phi_h(X)||
};

/// The norms from the tokens that each row of attention sees, without any d x d or d^2 x d^2 matrix where
/// these are few. With y_ts = sqrt(a_ts) xc_ts and f_ts = u_t . xc_ts,
///
///     C_t = sum_s y_ts y_ts^T      K_t = sum_s f_ts y_ts y_ts^T
///     hess phi_h = B^T [[0, I], [I, diag f]] B,   B = diag(y_ts^T at row t of U, (x_t (x) y_ts)^T)
///
/// so that all eigenvalues but 0 are those of matrices of the order of m = number of (t, s) with a
/// weight that counts; what the others can contribute goes into the radii. Where m exceeds d^2 the
/// Hessian is taken in the coordinates of W_h instead.
///
/// X, U: tokens of the sample and read-out of the head, in the coordinates of the state.
/// Guarantee: every value encloses the exact one. Not guaranteed: width (typically 1e-11 relative, 1e-9
/// where m exceeds d^2); a value may be unknown. Rows whose c_t or k_t is below 1e-13 of what the
/// Hessian sees get an absolute width of that size.
/// Cost: m^2 d + m^3 multiplications and two calls of fast_lambda_* (m <= d^2), or mostly two
/// factorisations of order d^2: 40 ms at T = d = 32.
/// Note: proofs-notes/head_norms.md.
HeadNorms head_norms(const Matrix<DoubleBall>& X, const Matrix<DoubleBall>& U,
                     const HeadState<DoubleBall>& state);

}  // namespace heed
