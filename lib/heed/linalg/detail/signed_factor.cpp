// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/signed_factor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "heed/linalg/ldlt.hpp"

namespace heed::detail {
namespace {

constexpr std::size_t block = 64;
// Without pivoting the factors of an indefinite matrix may grow; up to this ratio of |L||L|^T to S the
// pivoted form, which is not blocked, is not worth its time.
double tolerated_growth(std::size_t n) { return n <= 160 ? 8 : 0x1p12; }

// Factors the leading k x k block in place; false if a pivot vanishes or is not finite.
bool factor_small(View a, double* signs) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    double* column = a.data + j * a.stride;
    for (std::size_t k = 0; k < j; ++k) {
      const double* earlier = a.data + k * a.stride;
      const double factor = signs[k] * earlier[j];
      for (std::size_t i = j; i < a.rows; ++i) column[i] -= earlier[i] * factor;
    }
    const double pivot = column[j];
    if (!(std::fabs(pivot) > 0x1p-900 && std::fabs(pivot) < 0x1p900)) return false;
    signs[j] = pivot > 0 ? 1 : -1;
    const double root = std::sqrt(std::fabs(pivot));
    column[j] = root;
    for (std::size_t i = j + 1; i < a.rows; ++i) column[i] = column[i] / (signs[j] * root);
  }
  return true;
}

// Columns of `a` times their signs.
std::vector<double> with_signs(ConstView a, const double* signs) {
  std::vector<double> r(a.rows * a.cols);
  for (std::size_t j = 0; j < a.cols; ++j)
    for (std::size_t i = 0; i < a.rows; ++i)
      r[i + j * a.rows] = signs[j] * a.data[i + j * a.stride];
  return r;
}

// Upper bound of || |L| |L|^T ||_2.
Upper absolute_gram_norm(ConstView l, Upper norm) {
  std::vector<double> sums(l.cols), rows(l.rows);
  for (std::size_t j = 0; j < l.cols; ++j) {
    for (std::size_t i = 0; i < l.rows; ++i) sums[j] += std::fabs(l.data[i + j * l.stride]);
    for (std::size_t i = 0; i < l.rows; ++i)
      rows[i] += std::fabs(l.data[i + j * l.stride]) * sums[j];
  }
  double largest = 0;
  for (const double x : rows) largest = x <= largest ? largest : x;
  const std::size_t n = l.rows + l.cols;
  const Upper absolute = underflow(n) * Upper(static_cast<double>(n)) * (Upper(1) + norm);
  return min(norm * norm, (Upper(largest) + absolute) * (Upper(1) + gamma(2 * n + 8)));
}

}  // namespace

SignedFactor::SignedFactor(std::vector<double> s, std::size_t n) : n_(n) {
  const Upper norm = norm_bound(s.data(), s.size());
  error_ = Upper(infinity);
  if (!norm.is_finite()) return;
  if (factor_plain(s)) {
    lower_norm_ = norm_bound(lower_.data(), lower_.size());
    const Upper gram = absolute_gram_norm(lower_view(), lower_norm_);
    error_ = gamma(n_ + 4) * gram +
             underflow(n_) * Upper(8 * static_cast<double>(n_)) * (Upper(1) + lower_norm_);
  }
  const bool definite =
      error_.is_finite() &&
      std::adjacent_find(signs_.begin(), signs_.end(), std::not_equal_to<>()) == signs_.end();
  const double limit = tolerated_growth(n_) * gamma(n_ + 4).value() * norm.value();
  if (!definite && !(error_.value() <= limit)) factor_pivoted(s);
  negative_ = static_cast<std::size_t>(std::count(signs_.begin(), signs_.end(), -1.0));
}

bool SignedFactor::factor_plain(std::vector<double> s) {
  const DenseKernels& kernels = dense_kernels();
  signs_.assign(n_, 1);
  for (std::size_t at = 0; at < n_; at += block) {
    const std::size_t width = std::min(block, n_ - at), below = n_ - at - width;
    const auto part = [&](std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) {
      return View{s.data() + row + col * n_, rows, cols, n_};
    };
    const std::vector<double> left = with_signs(part(at, 0, width, at), signs_.data());
    kernels.add_product_nt(part(at, at, n_ - at, width), -1, part(at, 0, n_ - at, at),
                           {left.data(), width, at, width});
    if (!factor_small(part(at, at, width, width), signs_.data() + at)) return false;
    for (std::size_t j = at; j < at + width; ++j)  // the solver reads the triangle only
      for (std::size_t i = at; i < j; ++i) s[i + j * n_] = 0;
    const View panel = part(at + width, at, below, width);
    kernels.solve_lower_transposed_right(part(at, at, width, width), panel);
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t i = 0; i < below; ++i) panel.data[i + j * n_] *= signs_[at + j];
    for (std::size_t j = at; j < at + width; ++j)
      for (std::size_t i = 0; i < at; ++i) s[i + j * n_] = 0;
  }
  lower_ = std::move(s);
  return true;
}

void SignedFactor::factor_pivoted(const std::vector<double>& s) {
  Matrix<double> a(n_, n_);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j <= i; ++j) a(i, j) = a(j, i) = s[i + j * n_];
  const Ldlt<double> f(a);
  if (f.zero() > 0) return;
  std::vector<double> lower(n_ * n_), signs(n_, 1);
  const auto entry = [&](std::size_t i, std::size_t k) -> double& {
    return lower[f.order()[i] + k * n_];
  };
  for (std::size_t k = 0; k < n_; ++k) {
    const double x = f.diagonal()[k];
    if (!f.starts_pair()[k]) {
      signs[k] = x > 0 ? 1 : -1;
      const double root = std::sqrt(std::fabs(x));
      if (!(root > 0)) return;
      for (std::size_t i = k; i < n_; ++i) entry(i, k) = f.lower()(i, k) * root;
      continue;
    }
    // [[x, y], [y, z]] = V diag(p, q) V^T by one Jacobi rotation, p q < 0; C = V diag(|p|, |q|)^{1/2}.
    const double y = f.subdiagonal()[k], z = f.diagonal()[k + 1];
    const double tau = (z - x) / (2 * y);
    const double t = (tau >= 0 ? 1.0 : -1.0) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
    const double c = 1 / std::sqrt(1 + t * t), sine = t * c, p = x - t * y, q = z + t * y;
    signs[k] = p > 0 ? 1 : -1;
    signs[k + 1] = -signs[k];
    const double rp = std::sqrt(std::fabs(p)), rq = std::sqrt(std::fabs(q));
    const double c11 = c * rp, c21 = -sine * rp, c12 = sine * rq, c22 = c * rq;
    // Positive determinant by the signs alone, so C is nonsingular as rounded.
    const bool nonsingular =
        c11 > 0 && c22 > 0 && ((c21 <= 0 && c12 >= 0) || (c21 >= 0 && c12 <= 0));
    if (!nonsingular) return;
    entry(k, k) = c11;
    entry(k + 1, k) = c21;
    entry(k, k + 1) = c12;
    entry(k + 1, k + 1) = c22;
    for (std::size_t i = k + 2; i < n_; ++i) {
      const double l1 = f.lower()(i, k), l2 = f.lower()(i, k + 1);
      entry(i, k) = l1 * c11 + l2 * c21;
      entry(i, k + 1) = l1 * c12 + l2 * c22;
    }
    ++k;
  }
  const ConstView view{lower.data(), n_, n_, n_};
  std::vector<double> residual(a.data(), a.data() + n_ * n_);
  const std::vector<double> signed_lower = with_signs(view, signs.data());
  dense_kernels().add_product_nt({residual.data(), n_, n_, n_}, -1, view,
                                 {signed_lower.data(), n_, n_, n_});
  const Upper norm = norm_bound(lower.data(), lower.size());
  const Upper rounding = gamma(n_ + 4) * (norm_bound(a.data(), a.size()) + norm * norm) +
                         underflow(n_) * Upper(static_cast<double>(n_));
  const Upper error = norm_bound(residual.data(), residual.size()) + rounding;
  if (!error.is_finite() || error_.value() <= error.value()) return;
  error_ = error;
  lower_ = std::move(lower);
  signs_ = std::move(signs);
  lower_norm_ = norm;
  order_ = f.order();
  starts_pair_ = f.starts_pair();
}

void SignedFactor::substitute_pivoted(double* b) const {
  std::vector<double> y(n_), rest(b, b + n_);
  const auto entry = [&](std::size_t i, std::size_t k) { return lower_[order_[i] + k * n_]; };
  for (std::size_t k = 0; k < n_; ++k) {
    const bool pair = starts_pair_[k];
    const double f = rest[order_[k]];
    if (pair) {
      const double g = rest[order_[k + 1]];
      const double a = entry(k, k), c = entry(k, k + 1), d = entry(k + 1, k),
                   e = entry(k + 1, k + 1);
      const double det = a * e - c * d;
      y[k] = (e * f - c * g) / det;
      y[k + 1] = (a * g - d * f) / det;
    } else {
      y[k] = f / entry(k, k);
    }
    for (std::size_t column = k; column <= k + (pair ? 1 : 0); ++column)
      for (std::size_t i = 0; i < n_; ++i) rest[i] -= lower_[i + column * n_] * y[column];
    if (pair) ++k;
  }
  std::copy(y.begin(), y.end(), b);
}

Upper SignedFactor::solve(View b) const {
  const Upper absolute =
      underflow(n_) * Upper(8 * static_cast<double>(n_ + b.cols)) * (Upper(1) + lower_norm_);
  const auto norm = [&] {
    Upper sum;
    for (std::size_t j = 0; j < b.cols; ++j) {
      const Upper column = norm_bound(b.data + j * b.stride, b.rows);
      sum = sum + column * column;
    }
    return sqrt(sum);
  };
  if (!is_pivoted()) {
    dense_kernels().solve_lower(lower_view(), b);
    return gamma(n_ + 4) * lower_norm_ * norm() + absolute;
  }
  std::vector<double> residual(b.rows * b.cols);
  for (std::size_t j = 0; j < b.cols; ++j) {
    double* column = b.data + j * b.stride;
    std::copy(column, column + b.rows, residual.begin() + static_cast<std::ptrdiff_t>(j * b.rows));
    substitute_pivoted(column);
  }
  const Upper size = norm_bound(residual.data(), residual.size());
  dense_kernels().add_product({residual.data(), b.rows, b.cols, b.rows}, -1, lower_view(), b);
  return norm_bound(residual.data(), residual.size()) +
         gamma(n_ + 4) * (size + lower_norm_ * norm()) + absolute;
}

}  // namespace heed::detail
