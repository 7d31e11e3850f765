// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/point_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/linalg/detail/rounding_bounds.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed {
namespace {

using detail::ConstView;
using detail::gamma;
using detail::infinity;
using detail::underflow;
using detail::Upper;

// Below this size starting threads costs more than the products.
constexpr std::size_t parallel_size = 8192;

// Largest |entry|; infinite if one is infinite or NaN.
double largest_entry(const Matrix<double>& a) {
  double largest = 0;
  for (const double x : a.entries()) {
    if (!(std::fabs(x) <= std::numeric_limits<double>::max())) return infinity;
    largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

int exponent_of(double x) { return x > 0 ? std::ilogb(x) + 1 : -5000; }

void scale_entries(Matrix<double>& a, int exponent) {
  if (exponent == 0) return;
  if (exponent > -1000 && exponent < 1000) {
    const double factor = std::ldexp(1.0, exponent);
    for (double& x : a.entries()) x *= factor;
  } else {
    for (double& x : a.entries()) x = std::ldexp(x, exponent);
  }
}

void for_each_block(std::size_t count, bool parallel,
                    const std::function<void(std::size_t)>& body) {
  if (parallel) {
    parallel_for(count, body);
  } else {
    for (std::size_t h = 0; h < count; ++h) body(h);
  }
}

}  // namespace

PointSaddle::PointSaddle(std::vector<SaddleBlock<double>> blocks, Matrix<double> J,
                         double perturbation)
    : blocks_(std::move(blocks)), j_(std::move(J)), perturbation_(perturbation) {
  for (SaddleBlock<double>& b : blocks_) {
    if (b.K.rows() != b.K.cols() || (b.M.rows() > 0 && b.M.cols() != b.K.cols()))
      throw std::invalid_argument("PointSaddle: M must be u x w and K w x w");
    if (b.M.rows() == 0) b.M = Matrix<double>(0, b.K.cols());
    offsets_.push_back(size_);
    size_ += b.size();
    zero_block_size_ += b.M.rows();
    for (std::size_t i = 0; i < b.K.rows(); ++i)
      for (std::size_t k = 0; k < i; ++k) b.K(k, i) = b.K(i, k);
  }
  if (j_.rows() > 0 && j_.cols() != size_)
    throw std::invalid_argument("PointSaddle: J must have as many columns as the blocks");
  if (!(perturbation_ >= 0 && perturbation_ < infinity)) finite_ = false;
  scale();
  for (const SaddleBlock<double>& b : blocks_) {
    m_norm_.push_back(detail::norm_bound(b.M.data(), b.M.size()).value());
    k_norm_.push_back(detail::norm_bound(b.K.data(), b.K.size()).value());
    const Upper sum = Upper(m_norm_.back()) + Upper(k_norm_.back());
    block_norm_ = max(Upper(block_norm_), sum).value();
  }
  j_norm_ = detail::norm_bound(j_.data(), j_.size()).value();
}

void PointSaddle::scale() {
  double largest = 0;
  const double largest_j = largest_entry(j_);
  for (const SaddleBlock<double>& b : blocks_)
    largest = std::max({largest, largest_entry(b.M), largest_entry(b.K)});
  if (!(largest < infinity && largest_j < infinity)) finite_ = false;
  zero_ = finite_ && largest == 0 && largest_j == 0;
  if (!finite_ || zero_) return;
  exponent_ = std::max(exponent_of(largest), 2 * exponent_of(largest_j));
  exponent_ += exponent_ % 2 != 0 ? 1 : 0;
  for (SaddleBlock<double>& b : blocks_) {
    scale_entries(b.M, -exponent_);
    scale_entries(b.K, -exponent_);
  }
  scale_entries(j_, -exponent_ / 2);
  if (perturbation_ > 0)
    perturbation_ = (Upper(std::ldexp(perturbation_, -exponent_)) + Upper(0)).value();
  if (exponent_ > 0) {
    // An entry that became subnormal was rounded by at most the underflow unit.
    const auto entries = static_cast<double>(size_ + 1);
    const Upper entry_error = Upper(4 * entries * entries) * Upper(detail::underflow_unit);
    const Upper j_norm = detail::norm_bound(j_.data(), j_.size());
    perturbation_ =
        (Upper(perturbation_) + entry_error +
         entry_error * Upper(static_cast<double>(rank() + 1)) * (Upper(3) * j_norm + Upper(1)))
            .value();
  }
  if (!(perturbation_ < infinity)) finite_ = false;
}

double PointSaddle::norm_bound() const {
  return (Upper(block_norm_) + Upper(j_norm_) * Upper(j_norm_) + Upper(perturbation_)).value();
}

// y = blockdiag x and, per block, J_h x_h (n numbers each).
void PointSaddle::products(const double* x, double* y, double* jx) const {
  const detail::DenseKernels& kernels = detail::dense_kernels();
  for_each_block(blocks_.size(), size_ >= parallel_size, [&](std::size_t h) {
    const SaddleBlock<double>& b = blocks_[h];
    const std::size_t u = b.M.rows(), w = b.K.rows(), at = offsets_[h];
    std::fill(y + at, y + at + u + w, 0.0);
    constexpr std::size_t rows = 32;  // of M at a time, which stay in the cache for both products
    for (std::size_t i = 0; i < u; i += rows) {
      const ConstView part{b.M.row(i), w, std::min(rows, u - i), w};
      kernels.add_transposed_matrix_vector(y + at + i, part, x + at + u);
      kernels.add_matrix_vector(y + at + u, part, x + at + i);
    }
    kernels.add_matrix_vector(y + at + u, {b.K.data(), w, w, w}, x + at + u);
    std::fill(jx + h * rank(), jx + (h + 1) * rank(), 0.0);
    kernels.add_transposed_matrix_vector(jx + h * rank(), {j_.data() + at, u + w, rank(), size_},
                                         x + at);
  });
}

void PointSaddle::approx_apply(const double* x, double* y) const {
  std::vector<double> jx(blocks_.size() * rank()), sum(rank());
  products(x, y, jx.data());
  if (rank() == 0) return;
  for (std::size_t h = 0; h < blocks_.size(); ++h)
    for (std::size_t i = 0; i < rank(); ++i) sum[i] += jx[h * rank() + i];
  for_each_block(blocks_.size(), size_ >= parallel_size, [&](std::size_t h) {
    detail::dense_kernels().add_matrix_vector(
        y + offsets_[h], {j_.data() + offsets_[h], blocks_[h].size(), rank(), size_}, sum.data());
  });
}

DoubleRange PointSaddle::rayleigh_quotient(const std::vector<double>& v) const {
  const DoubleRange nothing{-infinity, infinity};
  if (!finite_ || v.size() != size_) return nothing;
  double largest = 0;
  for (const double x : v) {
    if (!(std::fabs(x) < infinity)) return nothing;
    largest = std::max(largest, std::fabs(x));
  }
  if (!(largest > 0)) return nothing;
  // The quotient is that of the scaled and rounded vector x, which is a vector as good as v.
  std::vector<double> x(size_), y(size_), jx(blocks_.size() * rank());
  for (std::size_t k = 0; k < size_; ++k) x[k] = v[k] / largest;
  products(x.data(), y.data(), jx.data());
  double value = 0;
  Upper error, magnitude;
  std::size_t longest = 0;
  for (std::size_t h = 0; h < blocks_.size(); ++h) {
    const std::size_t u = blocks_[h].M.rows(), w = blocks_[h].K.rows(), at = offsets_[h];
    longest = std::max(longest, u + w);
    // y_W = M^T x_U + K x_W and y_U = M x_W, so x . y = 2 x_U M x_W + x_W K x_W.
    double part = 0;
    for (std::size_t k = 0; k < u + w; ++k) part += x[at + k] * y[at + k];
    value += part;
    const Upper xu = detail::norm_bound(x.data() + at, u);
    const Upper xw = detail::norm_bound(x.data() + at + u, w);
    const Upper size = (Upper(2) * xu * Upper(m_norm_[h]) + xw * Upper(k_norm_[h])) * xw;
    error = error + gamma(2 * (u + w) + 8) * size +
            underflow(2 * (u + w)) * Upper(4 * static_cast<double>(u + w));
    magnitude = magnitude + size * (Upper(1) + gamma(2 * (u + w) + 8));
  }
  const Upper norm = detail::norm_bound(x.data(), size_);
  Upper t_squared;
  for (std::size_t i = 0; i < rank(); ++i) {
    double t = 0;
    for (std::size_t h = 0; h < blocks_.size(); ++h) t += jx[h * rank() + i];
    value += t * t;
    t_squared = t_squared + Upper(std::fabs(t)) * Upper(std::fabs(t));
  }
  const std::size_t heads = blocks_.size();
  const Upper delta = gamma(longest + heads + 4) * Upper(j_norm_) * norm +
                      underflow(size_ + heads) * Upper(static_cast<double>(rank() + size_));
  error = error + Upper(2) * sqrt(t_squared) * delta + delta * delta +
          gamma(heads + rank() + 4) * (magnitude + t_squared) + underflow(heads + rank());
  error = error + Upper(perturbation_) * norm * norm;
  double squares = 0;
  for (const double t : x) squares += t * t;
  const double slack = gamma(size_ + 8).value();
  const double low = squares * (1 - 2 * slack), high = squares * (1 + 2 * slack);  // >= 1 nearly
  if (!(low > 0.5) || !error.is_finite()) return nothing;
  const double e = error.value();
  const double bottom = detail::round_down(value - e), top = detail::round_up(value + e);
  return {detail::round_down(bottom / (bottom < 0 ? low : high)),
          detail::round_up(top / (top < 0 ? high : low))};
}

}  // namespace heed
