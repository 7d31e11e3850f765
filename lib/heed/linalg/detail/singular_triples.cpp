// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/singular_triples.hpp"

#include <algorithm>
#include <numeric>

#include "heed/linalg/product.hpp"
#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::detail {
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

/// Midpoints of (x, y) <- (c x - s y, s x + c y), for two rows of single points.
class Rotation {
 public:
  Rotation() : bits_(working_precision()) {
    arf_init(x_);
    arf_init(y_);
  }
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;
  ~Rotation() {
    arf_clear(x_);
    arf_clear(y_);
  }

  void apply(Matrix<Ball>& m, std::size_t i, std::size_t j, const Ball& cosine, const Ball& sine) {
    const arf_srcptr c = arb_midref(arb(cosine)), s = arb_midref(arb(sine));
    for (std::size_t k = 0; k < m.cols(); ++k) {
      arf_ptr x = arb_midref(arb(m(i, k))), y = arb_midref(arb(m(j, k)));
      arf_mul(x_, c, x, bits_, ARF_RND_NEAR);
      arf_submul(x_, s, y, bits_, ARF_RND_NEAR);
      arf_mul(y_, s, x, bits_, ARF_RND_NEAR);
      arf_addmul(y_, c, y, bits_, ARF_RND_NEAR);
      arf_swap(x, x_);
      arf_swap(y, y_);
    }
  }

 private:
  const slong bits_;
  arf_t x_, y_;
};

/// Makes the rows of `u` orthogonal up to rounding; `v` holds the rotations. Single points only.
void orthogonalize(Matrix<Ball>& u, Matrix<Ball>& v) {
  const Ball tolerance2 = ldexp(Ball(1), 2 * (4 - working_precision()));
  // Rows of rounding errors never become orthogonal to the others; they are left out in the end.
  const Ball noise2 = ldexp(squared_norm(u).midpoint(), 2 * (10 - working_precision()));
  Rotation rotation;
  std::vector<Ball> square_of(u.rows());
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool changed = false;
    for (std::size_t j = 0; j < u.rows(); ++j) square_of[j] = row_product(u, j, u, j).midpoint();
    for (std::size_t i = 0; i < u.rows(); ++i) {
      for (std::size_t j = i + 1; j < u.rows(); ++j) {
        Ball &aa = square_of[i], &bb = square_of[j];
        if (approx::less(aa, noise2) || approx::less(bb, noise2)) continue;
        const Ball ab = row_product(u, i, u, j).midpoint();
        if (!approx::less(tolerance2 * aa * bb, square(ab))) continue;
        const Ball zeta = ((bb - aa) / ldexp(ab, 1)).midpoint();
        if (!zeta.is_finite()) continue;
        const Ball root = abs(zeta) + sqrt(Ball(1) + square(zeta));
        const Ball t = (Ball(approx::sign(zeta) < 0 ? -1 : 1) / root).midpoint();
        const Ball c = (Ball(1) / sqrt(Ball(1) + square(t))).midpoint(), s = (c * t).midpoint();
        rotation.apply(u, i, j, c, s);
        rotation.apply(v, i, j, c, s);
        const Ball moved = t * ab;
        aa = Ball(aa - moved).midpoint();
        bb = Ball(bb + moved).midpoint();
        changed = true;
      }
    }
    if (!changed) return;
  }
}

}  // namespace

SingularTriples approx_singular_triples(const Matrix<Ball>& a) {
  SingularTriples t;
  // Rows of u are the vectors that are made orthogonal: the shorter side of A.
  const bool tall = a.rows() > a.cols();
  Matrix<Ball> u = map(tall ? transposed(a) : a, [](const Ball& e) { return e.midpoint(); });
  Matrix<Ball> v(u.rows(), u.rows());
  for (std::size_t i = 0; i < v.rows(); ++i) v(i, i) = Ball(1);
  orthogonalize(u, v);

  std::vector<Ball> length(u.rows());
  Ball largest(0);
  for (std::size_t j = 0; j < u.rows(); ++j) {
    length[j] = sqrt_nonnegative(row_product(u, j, u, j)).midpoint();
    largest = max(largest, length[j]);
  }
  const Ball negligible = ldexp(largest, 16 - working_precision());
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < u.rows(); ++j)
    if (approx::less(negligible, length[j])) order.push_back(j);
  std::sort(order.begin(), order.end(),
            [&](std::size_t j, std::size_t k) { return approx::less(length[k], length[j]); });
  Matrix<Ball> unit(order.size(), u.cols()), rotation(order.size(), v.cols());
  for (std::size_t r = 0; r < order.size(); ++r) {
    const std::size_t j = order[r];
    for (std::size_t k = 0; k < u.cols(); ++k) unit(r, k) = Ball(u(j, k) / length[j]).midpoint();
    for (std::size_t k = 0; k < v.cols(); ++k) rotation(r, k) = v(j, k);
    t.sigma.push_back(length[j]);
  }
  t.left = std::move(tall ? unit : rotation);
  t.right = std::move(tall ? rotation : unit);
  return t;
}

Ball orthonormality_defect(const Matrix<Ball>& rows) {
  Matrix<Ball> g = multiply_transposed(rows, rows);
  for (std::size_t i = 0; i < g.rows(); ++i) g(i, i) -= Ball(1);
  return sqrt_nonnegative(squared_norm(g));
}

Matrix<Ball> residual(const Matrix<Ball>& a, const SingularTriples& triples) {
  Matrix<Ball> scaled = triples.left, rest = a;
  for (std::size_t j = 0; j < scaled.rows(); ++j)
    for (std::size_t i = 0; i < scaled.cols(); ++i) scaled(j, i) *= triples.sigma[j];
  const Matrix<Ball> sum = transposed_multiply(scaled, triples.right);
  for (std::size_t k = 0; k < rest.size(); ++k) rest.data()[k] -= sum.data()[k];
  return rest;
}

std::vector<Ball> enclose_singular_values(const Matrix<Ball>& a, const SingularTriples& triples) {
  const Ball error = Ball::symmetric(sqrt_nonnegative(squared_norm(residual(a, triples))).upper());
  const Ball factor =
      Ball(1) +
      Ball::symmetric(
          max(orthonormality_defect(triples.left), orthonormality_defect(triples.right)).upper());
  std::vector<Ball> values;
  for (std::size_t j = 0; j < std::min(a.rows(), a.cols()); ++j) {
    const Ball value = j < triples.sigma.size() ? Ball(triples.sigma[j] * factor) : Ball(0);
    values.push_back(max(Ball(0), Ball(value + error)));
  }
  return values;
}

}  // namespace heed::detail
