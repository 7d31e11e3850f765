// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/nuclear_norm.hpp"

#include <algorithm>
#include <vector>

#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

constexpr int max_sweeps = 60;

Matrix<Ball> transposed(const Matrix<Ball>& a) {
  Matrix<Ball> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

Ball row_product(const Matrix<Ball>& a, std::size_t i, const Matrix<Ball>& b, std::size_t j) {
  return dot(a.cols(), a.row(i), 1, b.row(j), 1);
}

/// Rows of `columns` are the columns of the matrix; afterwards they are orthogonal up to rounding and
/// `v` holds the rotations. Points only.
void orthogonalize(Matrix<Ball>& columns, Matrix<Ball>& v) {
  const Ball tolerance = ldexp(Ball(1), 4 - working_precision());
  const auto rotate = [](Matrix<Ball>& m, std::size_t i, std::size_t j, const Ball& c,
                         const Ball& s) {
    for (std::size_t k = 0; k < m.cols(); ++k) {
      Ball x = c * m(i, k) - s * m(j, k), y = s * m(i, k) + c * m(j, k);
      approx::collapse(x);
      approx::collapse(y);
      m(i, k) = std::move(x);
      m(j, k) = std::move(y);
    }
  };
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < columns.rows(); ++i) {
      for (std::size_t j = i + 1; j < columns.rows(); ++j) {
        const Ball aa = row_product(columns, i, columns, i),
                   bb = row_product(columns, j, columns, j),
                   ab = row_product(columns, i, columns, j);
        if (!approx::less(tolerance * tolerance * aa.midpoint() * bb.midpoint(), square(ab)))
          continue;
        Ball zeta = (bb - aa) / (Ball(2) * ab);
        approx::collapse(zeta);
        if (!zeta.is_finite()) continue;
        const Ball root = abs(zeta) + sqrt(Ball(1) + square(zeta));
        Ball t = (approx::sign(zeta) < 0 ? Ball(-1) : Ball(1)) / root;
        approx::collapse(t);
        Ball c = Ball(1) / sqrt(Ball(1) + square(t));
        approx::collapse(c);
        Ball s = c * t;
        approx::collapse(s);
        rotate(columns, i, j, c, s);
        rotate(v, i, j, c, s);
        changed = true;
      }
    }
    if (!changed) return;
  }
}

Ball frobenius(const Matrix<Ball>& a) {
  return sqrt_nonnegative(dot(a.size(), a.data(), 1, a.data(), 1));
}

/// Upper bound of ||U||_2 for the rows of `u`: sqrt(1 + ||U U^T - I||_F).
Ball norm_of_almost_orthonormal(const Matrix<Ball>& u) {
  Matrix<Ball> defect(u.rows(), u.rows());
  for (std::size_t i = 0; i < u.rows(); ++i)
    for (std::size_t j = 0; j < u.rows(); ++j)
      defect(i, j) = row_product(u, i, u, j) - Ball(i == j ? 1 : 0);
  return sqrt(Ball(1) + frobenius(defect));
}

void keep_rows(Matrix<Ball>& m, std::size_t count) {
  m.entries().resize(count * m.cols());
  Matrix<Ball> kept(count, m.cols());
  kept.entries() = std::move(m.entries());
  m = std::move(kept);
}

}  // namespace

Ball nuclear_norm(const Matrix<Ball>& a) {
  if (a.size() == 0) return Ball(0);
  // Rows of x are the vectors that are made orthogonal: the shorter side of A.
  const Matrix<Ball> x = a.rows() <= a.cols() ? a : transposed(a);
  Matrix<Ball> u = map(x, [](const Ball& e) { return e.midpoint(); });
  Matrix<Ball> v(x.rows(), x.rows());
  for (std::size_t i = 0; i < v.rows(); ++i) v(i, i) = Ball(1);
  orthogonalize(u, v);

  // Row j of u becomes the unit vector u_j, sigma[j] its length; negligible ones go to the end.
  std::vector<Ball> sigma(u.rows());
  Ball largest(0);
  for (std::size_t j = 0; j < u.rows(); ++j) {
    sigma[j] = sqrt_nonnegative(row_product(u, j, u, j)).midpoint();
    largest = max(largest, sigma[j]);
  }
  const Ball negligible = ldexp(largest, 16 - working_precision());
  std::size_t rank = 0;
  for (std::size_t j = 0; j < u.rows(); ++j) {
    if (!approx::less(negligible, sigma[j])) continue;
    for (std::size_t k = 0; k < u.cols(); ++k) u(rank, k) = Ball(u(j, k) / sigma[j]).midpoint();
    for (std::size_t k = 0; k < v.cols(); ++k) v(rank, k) = Ball(v(j, k));
    sigma[rank++] = sigma[j];
  }
  keep_rows(u, rank);
  keep_rows(v, rank);

  // x = sum_j sigma_j v_j u_j^T up to the residual; <x, sum_j v_j u_j^T> = sum_j v_j^T x u_j.
  Ball inner(0), sum(0);
  Matrix<Ball> residual = x;
  for (std::size_t j = 0; j < rank; ++j) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      inner += v(j, i) * dot(x.cols(), x.row(i), 1, u.row(j), 1);
    sum += sigma[j] * sqrt_nonnegative(row_product(u, j, u, j) * row_product(v, j, v, j));
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t k = 0; k < x.cols(); ++k) residual(i, k) -= sigma[j] * v(j, i) * u(j, k);
  }
  const Ball upper = sum + sqrt(Ball(static_cast<int>(x.rows()))) * frobenius(residual);
  const Ball lower = rank == 0 ? Ball(0)
                               : max(Ball(0), Ball(inner / (norm_of_almost_orthonormal(u) *
                                                            norm_of_almost_orthonormal(v))));
  return Ball::hull(lower.lower(), upper.upper());
}

}  // namespace heed
