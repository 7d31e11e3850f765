// SPDX-License-Identifier: Apache-2.0
#include "checks/support/bounds.hpp"

#include <cmath>

#include "heed/linalg/dense_symmetric.hpp"

namespace heed::checks {
namespace {

constexpr int eigenvalue_digits = 60;

Ball row_norm(const Matrix<Ball>& m, std::size_t row) {
  return norm_of({m.row(row), m.row(row) + m.cols()});
}

// lambda_max(sum_t w_t x_t x_t^T)
Ball weighted_largest(const std::vector<Ball>& w, const Matrix<Ball>& X) {
  Matrix<Ball> m(X.cols(), X.cols());
  for (std::size_t t = 0; t < X.rows(); ++t)
    for (std::size_t b = 0; b < X.cols(); ++b)
      for (std::size_t c = 0; c < X.cols(); ++c) m(b, c) += w[t] * X(t, b) * X(t, c);
  return enclose_lambda_max(m, eigenvalue_digits);
}

}  // namespace

Ball lam(const Ball& s, const Ball& k) {
  return (k + sqrt_nonnegative(k * k + Ball(4) * s * s)) / Ball(2);
}

Ball norm_of(const std::vector<Ball>& v) {
  Ball sum;
  for (const Ball& x : v) sum += x * x;
  return sqrt_nonnegative(sum);
}

TextbookBounds::TextbookBounds(const MhaInstance& m) : book(m) {
  const std::size_t n = book.samples(), H = book.heads();
  const Ball T(static_cast<int>(book.T)), d(static_cast<int>(book.d)), heads(static_cast<int>(H));
  const Ball c3 = Ball(1) / sqrt(Ball(108));
  for (const auto& X : book.X)
    for (std::size_t t = 0; t < X.rows(); ++t) R = max(R, row_norm(X, t));
  for (std::size_t h = 0; h < H; ++h) {
    const Ball u = norm_of(book.U[h].entries()), w = norm_of(book.W[h].entries());
    M_U = max(M_U, u);
    mean_U2 += u * u / heads;
    theta = max(theta, sqrt_nonnegative(u * u + w * w));
  }
  const Ball R2 = R * R;
  beta1 = sqrt(T) * R * (Ball(2) * R2 * theta + Ball(1));
  b1 = sqrt(T) * R * sqrt(Ball(1) + R2 * R2 * mean_U2);
  beta2 = Ball(2) * sqrt(T * d) * R * R2 * (Ball(3) * sqrt(d) * R2 * theta + Ball(1));
  b2 = lam(sqrt(T) * R * R2, Ball(8) * c3 * sqrt(T) * R * R2 * R2 * M_U);
  for (std::size_t i = 0; i < n; ++i) {
    const Matrix<Ball>& X = book.X[i];
    const std::size_t Ti = X.rows();
    Ball r, D;
    std::vector<Ball> ones(Ti, Ball(1));
    for (std::size_t t = 0; t < Ti; ++t) {
      r = max(r, row_norm(X, t));
      for (std::size_t s = 0; s < t; ++s) {
        std::vector<Ball> difference;
        for (std::size_t c = 0; c < X.cols(); ++c)
          difference.emplace_back(m.X[i](t, c) - m.X[i](s, c));
        D = max(D, norm_of(difference));
      }
    }
    const Ball sigma2 = max(Ball(0), weighted_largest(ones, X)), delta2 = D * D / Ball(4);
    grad_geom.push_back(
        sqrt_nonnegative(Ball(static_cast<int>(Ti)) * r * r + sigma2 * delta2 * delta2 * mean_U2));
    Ball state;
    hess_geom.emplace_back();
    hess_state.emplace_back();
    for (std::size_t h = 0; h < H; ++h) {
      std::vector<Ball> u, c2, k;
      for (std::size_t t = 0; t < Ti; ++t) {
        const std::vector<Ball> a = book.attention(i, h, t);
        for (std::size_t c = 0; c < book.d; ++c) {
          Ball o;
          for (std::size_t s = 0; s < Ti; ++s) o += a[s] * X(s, c);
          state += o * o / heads;
        }
        u.push_back(row_norm(book.U[h], t));
        const Ball ct =
            max(Ball(0), enclose_lambda_max(book.second_moment(i, h, t), eigenvalue_digits));
        c2.push_back(ct * ct);
        k.push_back(enclose_spectral_norm(book.third_moment(i, h, t), eigenvalue_digits));
        state += sigma2 * ct * ct * u[t] * u[t] / heads;
      }
      hess_geom[i].push_back(
          lam(sqrt_nonnegative(sigma2) * delta2, c3 * D * D * D * weighted_largest(u, X)));
      hess_state[i].push_back(
          lam(sqrt_nonnegative(weighted_largest(c2, X)), weighted_largest(k, X)));
    }
    grad_state.push_back(sqrt_nonnegative(state));
  }
}

bool bounds_feasible(const MhaInstance& m, Tally& tally) {
  if (m.parameters() > 40) {
    ++tally["too many parameters for dense textbook matrices"];
    return false;
  }
  if (!Textbook::feasible(m)) {
    ++tally["logits too large for the textbook forms"];
    return false;
  }
  return true;
}

}  // namespace heed::checks
