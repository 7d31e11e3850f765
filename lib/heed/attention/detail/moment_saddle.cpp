// SPDX-License-Identifier: Apache-2.0
// Names and numbers are those of proofs-notes/head_norms.md, section 5.
#include "heed/attention/detail/moment_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/linalg/lanczos.hpp"
#include "heed/numeric/double_ball.hpp"

namespace heed::detail {
namespace {

constexpr double largest = 0x1p100;            // of norms and of mu
constexpr double underflow_of_all = 0x1p-600;  // what all underflows add up to at most
constexpr double margin = 0x1p-34;  // first distance from the Rayleigh quotient, relative
constexpr double widening = 256;
constexpr int attempts = 3;

constexpr std::size_t panel = 64;  // columns that are factored at a time

std::size_t triangle(std::size_t d) { return d * (d + 1) / 2; }

// Cholesky's factor of the leading square of a column in place, and the columns below it divided by
// that factor; false if a pivot is not positive or far from 1.
bool factor_panel(View a) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    double* const column = a.data + j * a.stride;
    for (std::size_t k = 0; k < j; ++k) {
      const double *earlier = a.data + k * a.stride, factor = earlier[j];
      for (std::size_t i = j; i < a.cols; ++i) column[i] -= earlier[i] * factor;
    }
    if (!(column[j] > 0x1p-900 && column[j] < 0x1p900)) return false;
    column[j] = std::sqrt(column[j]);
    for (std::size_t i = j + 1; i < a.cols; ++i) column[i] /= column[j];
  }
  dense_kernels().solve_lower_transposed_right(
      {a.data, a.cols, a.cols, a.stride}, {a.data + a.cols, a.rows - a.cols, a.cols, a.stride});
  return true;
}

// Overwrites the lower triangle of s (n x n, column-major) by L, S = L L^T + E; returns an upper bound of
// ||E||_2, infinite if S is not found positive definite. Lemma 3 of proofs-notes/fast_eigenvalue.md.
Upper cholesky_error(std::vector<double>& s, std::size_t n) {
  Upper sum;
  for (std::size_t at = 0; at < n; at += panel) {
    const std::size_t width = std::min(panel, n - at);
    const ConstView left{s.data() + at, n - at, at, n};
    const View columns{s.data() + at * (n + 1), n - at, width, n};
    dense_kernels().add_product_nt(columns, -1, left, {left.data, width, at, n});
    if (!factor_panel(columns)) return Upper(infinity);
    for (std::size_t j = 0; j < width; ++j) {
      const Upper norm = norm_bound(columns.data + j * (n + 1), n - at - j);
      sum = sum + norm * norm;
    }
  }
  return gamma(n + 4) * sum + Upper(underflow_of_all);
}

}  // namespace

MomentSaddle::MomentSaddle(std::size_t T, std::size_t d, std::vector<double> x,
                           std::vector<double> C, std::vector<double> K)
    : T_(T), d_(d), x_(std::move(x)), C_(std::move(C)), K_(std::move(K)), squares_(T * d * d) {
  const std::size_t d2 = d * d;
  const auto add = [&](std::vector<Upper>& norms, const double* data, std::size_t count) {
    norms.push_back(norm_bound(data, count));
    in_range_ = in_range_ && norms.back().value() < largest;
  };
  for (std::size_t t = 0; t < T; ++t) {
    add(x_norms_, x_.data() + t * d, d);
    add(C_norms_, C_.data() + t * d2, d2);
    add(K_norms_, K_.data() + t * d2, d2);
    const ConstView c{C_.data() + t * d2, d, d, d};
    dense_kernels().add_product({squares_.data() + t * d2, d, d, d}, 1, c, c);
  }
  pairs_.reserve(triangle(d) * T);
  for (std::size_t b = 0; b < d; ++b)
    for (std::size_t e = 0; e <= b; ++e)
      for (std::size_t t = 0; t < T; ++t) pairs_.push_back(x_[t * d + b] * x_[t * d + e]);
}

void MomentSaddle::approx_apply(const double* v, double* out) const {
  const DenseKernels& kernels = dense_kernels();
  const std::size_t d = d_, d2 = d * d, rows = T_ * d;
  const ConstView x{x_.data(), d, T_, d};
  std::vector<double> y(rows), r(rows);
  kernels.add_product({y.data(), d, T_, d}, 1, {v + rows, d, d, d}, x);
  std::fill(out, out + rows + d2, 0.0);
  for (std::size_t t = 0; t < T_; ++t) {
    const ConstView c{C_.data() + t * d2, d, d, d}, k{K_.data() + t * d2, d, d, d};
    kernels.add_matrix_vector(out + t * d, c, y.data() + t * d);
    kernels.add_matrix_vector(r.data() + t * d, c, v + t * d);
    kernels.add_matrix_vector(r.data() + t * d, k, y.data() + t * d);
  }
  kernels.add_product_nt({out + rows, d, d, d}, 1, {r.data(), d, T_, d}, x);
}

double MomentSaddle::rayleigh_quotient(const std::vector<double>& v) const {
  const std::size_t d = d_, rows = T_ * d;
  DoubleBall sum(0), norm2(0);
  for (const double e : v) norm2 += square(DoubleBall(e));
  std::vector<DoubleBall> y(d), r(d);
  for (std::size_t t = 0; t < T_; ++t) {
    std::fill(y.begin(), y.end(), DoubleBall(0));
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t e = 0; e < d; ++e)
        y[e] += DoubleBall(x_[t * d + b]) * DoubleBall(v[rows + b * d + e]);
    const double *c = C_.data() + t * d * d, *k = K_.data() + t * d * d, *u = v.data() + t * d;
    for (std::size_t a = 0; a < d; ++a) {
      DoubleBall of_row(0);
      for (std::size_t e = 0; e < d; ++e)
        of_row +=
            (DoubleBall(2 * u[e]) * DoubleBall(c[a * d + e])) + y[e] * DoubleBall(k[a * d + e]);
      sum += of_row * y[a];
    }
  }
  const DoubleBall quotient = abs(sum) / norm2;
  return quotient.is_finite() ? quotient.lower() : 0;
}

double MomentSaddle::upper_bound(double mu, double sign, Room& room) const {
  const std::size_t d = d_, d2 = d * d, n = triangle(d);
  if (!in_range_ || !(mu > 1 / largest && mu < largest)) return infinity;
  const double inverse = 1 / mu;
  std::vector<double> weights(n * T_);
  std::vector<double>&s = room.s, &products = room.products;
  s.resize(d2 * d2);
  products.assign(n * n, 0);
  Upper size(mu);
  for (std::size_t t = 0; t < T_; ++t) {
    const double *square = squares_.data() + t * d2, *k = K_.data() + t * d2;
    std::size_t p = 0;
    for (std::size_t c = 0; c < d; ++c)
      for (std::size_t f = 0; f <= c; ++f, ++p)
        weights[p * T_ + t] = square[c * d + f] * inverse + sign * k[c * d + f];
    size = size + x_norms_[t] * x_norms_[t] * (C_norms_[t] * C_norms_[t] / mu + K_norms_[t]);
  }
  dense_kernels().add_product_tn({products.data(), n, n, n}, 1, {pairs_.data(), T_, n, T_},
                                 {weights.data(), T_, n, T_});
  for (std::size_t e = 0; e < d; ++e)
    for (std::size_t f = 0; f < d; ++f) {
      double* column = s.data() + (e * d + f) * d2;
      for (std::size_t b = e; b < d; ++b) {
        const double* of_pair = products.data() + b * (b + 1) / 2 + e;
        for (std::size_t c = 0; c < d; ++c)
          column[b * d + c] = -of_pair[(triangle(std::max(f, c)) + std::min(f, c)) * n];
      }
      column[e * d + f] += mu;
    }
  const Upper bound =
      Upper(mu) + gamma(T_ + d + 12) * size + cholesky_error(s, d2) + Upper(underflow_of_all);
  return bound.is_finite() ? bound.value() : infinity;
}

std::optional<DoubleRange> MomentSaddle::norm() const {
  if (!in_range_) return std::nullopt;
  const approx::LinearOperator op{T_ * d_ + d_ * d_,
                                  [this](const double* v, double* out) { approx_apply(v, out); }};
  DoubleRange range{0, infinity};
  double residual = 0;
  for (const Extreme end : {Extreme::largest, Extreme::smallest}) {
    const approx::LanczosResult found =
        approx::thick_restart_lanczos(op, end, {.tolerance = 0x1p-22});
    const double lower = rayleigh_quotient(found.vector);
    if (!(lower > range.lower)) continue;
    range.lower = lower;
    residual = found.residual;
  }
  if (!(range.lower > 0)) return std::nullopt;
  Room room;
  double distance = std::max(margin, 64 * (residual / range.lower) * (residual / range.lower));
  for (int k = 0; k < attempts && !(range.upper < infinity); ++k, distance *= widening) {
    const double mu = range.lower * (1 + distance);
    const double plus = upper_bound(mu, 1, room);
    if (plus < infinity) range.upper = std::max(plus, upper_bound(mu, -1, room));
  }
  if (!(range.upper < infinity)) return std::nullopt;
  return range;
}

}  // namespace heed::detail
